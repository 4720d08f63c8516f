import type { StoreSession } from '../../../../agent/postgres/session.ts'
import type { Status } from '../../../../agent/status/status.ts'
import type { Break } from './judge.ts'
import { watchedSession } from './watched-session.ts'

/** How long after it asked for its lease an agent may still begin something. */
const mayBeginMs = 10_000
/** What the drift of a clock adds in this time. */
const driftMs = 20

const asksForLease = /^SELECT (?:\* FROM )?market_agent\.(?:begin_epoch|renew)\(/

/**
 * An agent that shares a store counts its lease from the moment before it asks, and not from the answer. If it is paused before
 * it reads the answer, another agent may take over meanwhile.
 */
export class LeasePromises {
  readonly #break: Break
  readonly #agentName: string
  readonly #nowMs: () => number
  /** When it asked for the lease that the store confirmed last. */
  #askedMs = Number.NEGATIVE_INFINITY

  constructor(onBroken: Break, agentName: string, nowMs: () => number) {
    this.#break = onBroken
    this.#agentName = agentName
    this.#nowMs = nowMs
  }

  /** @param requestedMs When the request arrived. The agent looked at its lease at some time after it. */
  onStatusGiven({ store, ready }: Pick<Status, 'store' | 'ready'>, requestedMs: number): void {
    if (ready && requestedMs > this.#askedMs + mayBeginMs + driftMs)
      this.#break('an agent is ready only while its store can be reached', this.#agentName)
    const leftMs = Math.max(0, this.#askedMs + mayBeginMs - requestedMs)
    const shownMs = (store?.leaseS ?? 0) * 1_000
    if (shownMs > leftMs + driftMs)
      this.#break('a lease counts from before it was asked for', `${this.#agentName}: ${shownMs} ms, not ${leftMs}`)
  }

  /** The same session of this agent, watched. */
  watch(session: StoreSession): StoreSession {
    return watchedSession(session, async ({ sql }, ask) => {
      const askedMs = this.#nowMs()
      const result = await ask()
      if (asksForLease.test(sql)) this.#askedMs = askedMs
      return result
    })
  }
}
