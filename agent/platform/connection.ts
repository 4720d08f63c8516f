import type { Clock } from '../clock/clock.ts'
import type { AttemptResult } from './attempt-result.ts'

/** One signed request, ready to be written. */
export interface SignedRequest {
  readonly method: 'GET' | 'POST' | 'PUT'
  readonly path: string
  /** A name, its value, the next name, and so on. */
  readonly headers: readonly string[]
  readonly body: Uint8Array | null
}

/** A connection to the platform. */
export interface PlatformConnection {
  /**
   * Sends one request and waits for the whole answer. It follows no redirects and sends nothing twice. The server cannot
   * be closing the connection that a request uses: it is new, or showed a sign of life a short time ago.
   */
  send(request: SignedRequest, options: { timeoutMs: number }): Promise<AttemptResult>
  /** Ends every request under way. Nothing is sent any more. */
  close(): Promise<void>
}

export interface ConnectionOptions {
  /** Scheme, host and port. */
  readonly origin: string
  /** PEM certificates trusted in addition to the system's store and Node's own list. */
  readonly extraCa: string | undefined
  readonly proxy: URL | undefined
  /** How long a connection may take to open. A request that waits for it may have less time. */
  readonly attemptTimeoutMs: number
  /**
   * `kept`: one is kept ready for the next request. `none`: each request has a connection of its own, and no other one is
   * there, because a server that does one thing after another may wait for it.
   */
  readonly idle: 'kept' | 'none'
  readonly clock: Clock
}

/** Opens no socket yet: the first request does. */
export type Connect = (options: ConnectionOptions) => PlatformConnection

/** The proxy gave no tunnel. `status` is its answer to CONNECT; without one, `cause` says why it did not answer. */
export class ProxyError extends Error {
  override readonly name = 'ProxyError'
  readonly status: number | undefined

  constructor(options: { readonly status?: number; readonly cause?: Error }) {
    super(options.cause?.message ?? `the proxy answers ${options.status} to CONNECT`, options)
    this.status = options.status
  }
}
