import type { Clock } from '../clock/clock.ts'
import type { Door } from './door.ts'

/** A port to take. */
export interface Port {
  readonly host: string
  /** 0 takes a free one. */
  readonly port: number
  readonly clock: Clock
  /** Called once if another process has it. */
  readonly onTaken: () => void
}

/** For the log. */
export const portTaken = 'the port is taken; tried again for 3 s'

/** What differs between the ports of the agent. */
export interface HttpServerOptions {
  readonly port: Port
  /** Above this number the one is closed that is idle, or sends a request, for the longest time. */
  readonly connectionsMax: number
  readonly keepAliveTimeoutMs: number
  readonly door: Door
  /** Called where the door throws: a bug. The sender gets no answer. */
  readonly onBug: (error: unknown) => void
  /** The JSON that answers something that is not HTTP. */
  readonly malformedText: (status: number) => string
  /** Called for something that is not HTTP. */
  readonly onMalformed: (status: number, code: string | undefined) => void
}

/** A port with limits on connections, heads and time. Bodies and calls are limited by their readers. */
export interface HttpServer {
  readonly url: string
  /** Takes no new connections. Resolves when every request has been handled and every answer has left. */
  close(): Promise<void>
  /** Closes every connection. */
  destroy(): void
}

/**
 * Answers at a port.
 *
 * @throws {NodeJS.ErrnoException} The port cannot be taken.
 */
export type Listen = (options: HttpServerOptions) => Promise<HttpServer>
