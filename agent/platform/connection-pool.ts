import type { Clock } from '../clock/clock.ts'
import type { AttemptHandler } from './attempt-handler.ts'
import {
  chooseIdle,
  type IdleConnection,
  type Lifetimes,
  learnClosed,
  learnOpen,
  lifetimesAtFirst,
  unusedMsMax,
  upkeep,
} from './idle-connections.ts'

/** One open connection. It carries one request at a time. */
export interface OpenConnection<Request> {
  /** Writes a request. The handler learns what comes of it. */
  carry(request: Request, handler: AttemptHandler): void
  /** Whether nothing has ended it yet. */
  readonly isOpen: boolean
  destroy(): void
}

export interface PoolOptions<Request> {
  /**
   * Opens a connection, with TLS where there is TLS.
   *
   * @param onEnd Called once, when anything has ended it, and not before it was opened.
   */
  readonly open: (onEnd: () => void) => Promise<OpenConnection<Request>>
  readonly clock: Clock
}

/** The state of a connection. One that has ended is in no table. */
type PooledConnection = IdleConnection | { readonly kind: 'busy' }

const lookMs = 500
/** How long after one that was opened in advance the next one is, at least. One that would be closed soon is rarely opened. */
const pauseMs = { ready: 0, learner: 30_000, failed: 5_000 }

/**
 * The connections to a platform. A request uses one that the platform cannot be closing, or a new one. While there are
 * requests, one is kept ready for the next.
 *
 * @see docs/decisions/0104
 */
export class ConnectionPool<Request> {
  readonly #options: PoolOptions<Request>
  readonly #table = new Map<OpenConnection<Request>, PooledConnection>()
  #lifetimes: Lifetimes = lifetimesAtFirst
  #lastRequestMs = Number.NEGATIVE_INFINITY
  #lastLookMs = 0
  #cancelLook: (() => void) | undefined
  /** What was opened in advance last, and when; `opening`: at most one at a time. */
  #advance: { readonly at: 'opening' } | { readonly at: 'opened' | 'failed'; readonly atMs: number } = {
    at: 'opened',
    atMs: Number.NEGATIVE_INFINITY,
  }
  #isClosed = false

  constructor(options: PoolOptions<Request>) {
    this.#options = options
  }

  /** Sends a request over one connection. A request that its connection certainly did not carry goes over another one. */
  async send(request: Request, handler: AttemptHandler): Promise<void> {
    if (handler.isSettled) return
    if (this.#isClosed) return handler.fail(new Error('the agent has closed its connections'))
    this.#lastRequestMs = this.#nowMs
    this.#lookLater()
    const idle = chooseIdle(this.#idle(), this.#lifetimes, this.#nowMs)
    if (idle) return this.#carry(idle.connection, request, handler, () => void this.send(request, handler))
    try {
      const connection = await this.#open()
      if (!handler.isSettled) this.#carry(connection, request, handler, (cause) => handler.fail(cause))
    } catch (error) {
      handler.fail(error as Error)
    }
  }

  /** Ends every connection, and what they carry. */
  close(): void {
    this.#isClosed = true
    this.#cancelLook?.()
    for (const connection of this.#table.keys()) connection.destroy()
  }

  get #nowMs(): number {
    return this.#options.clock.monotonicMs()
  }

  #idle(): readonly (IdleConnection & { readonly connection: OpenConnection<Request> })[] {
    return [...this.#table].flatMap(([connection, state]) => (state.kind === 'busy' ? [] : [{ connection, ...state }]))
  }

  #carry(
    connection: OpenConnection<Request>,
    request: Request,
    handler: AttemptHandler,
    onUnsent: (cause: Error) => void,
  ): void {
    this.#table.set(connection, { kind: 'busy' })
    handler.ride = {
      onUnsent,
      onBroken: () => connection.destroy(),
      onAnswered: () => void this.#giveBack(connection),
    }
    connection.carry(request, handler)
  }

  async #giveBack(connection: OpenConnection<Request>): Promise<void> {
    // What its answer ends is ended by then.
    await undefined
    if (connection.isOpen && this.#table.has(connection))
      this.#table.set(connection, { kind: 'used', sinceMs: this.#nowMs })
  }

  /** It is idle at first. */
  async #open(): Promise<OpenConnection<Request>> {
    const connection = await this.#options.open(() => this.#remove(connection))
    if (this.#isClosed) connection.destroy()
    else if (connection.isOpen) this.#table.set(connection, { kind: 'unused', sinceMs: this.#nowMs })
    return connection
  }

  #remove(connection: OpenConnection<Request>): void {
    const state = this.#table.get(connection)
    this.#table.delete(connection)
    if (state && state.kind !== 'busy') this.#lifetimes = learnClosed(this.#lifetimes, state, this.#nowMs)
  }

  #lookLater(): void {
    if (this.#isClosed) return
    this.#cancelLook ??= this.#options.clock.after(lookMs, () => {
      this.#cancelLook = undefined
      this.#look()
    })
  }

  #look(): void {
    const nowMs = this.#nowMs
    const isUnused = nowMs - this.#lastRequestMs > unusedMsMax
    const idle = this.#idle()
    // What was open at the last look and has ended since is not here any more, although the agent may have been paused.
    this.#lifetimes = learnOpen(this.#lifetimes, idle, this.#lastLookMs)
    this.#lastLookMs = nowMs
    const { close, missing } = upkeep(idle, this.#lifetimes, nowMs, nowMs + lookMs)
    for (const { connection } of isUnused ? idle : close) this.#drop(connection)
    if (isUnused) return
    if (missing) this.#openInAdvance(missing)
    this.#lookLater()
  }

  /** The agent ends it: nothing is learned from that. */
  #drop(connection: OpenConnection<Request>): void {
    this.#table.delete(connection)
    connection.destroy()
  }

  #openInAdvance(missing: 'ready' | 'learner'): void {
    const before = this.#advance
    if (before.at === 'opening') return
    if (this.#nowMs < before.atMs + pauseMs[before.at === 'failed' ? 'failed' : missing]) return
    this.#advance = { at: 'opening' }
    const end = (at: 'opened' | 'failed') => {
      this.#advance = { at, atMs: this.#nowMs }
    }
    // The next request says what is wrong.
    this.#open().then(
      () => end('opened'),
      () => end('failed'),
    )
  }
}
