import type { StoreSession } from '../../../../agent/postgres/session.ts'
import type { AgentWitness } from '../witnessed.ts'
import type { Break } from './judge.ts'

/** An agent begins nothing later than this after it asked for its lease. */
const mayBeginMs = 10_000
/** What the drift of a clock adds in this time. */
const driftMs = 20

const asksForLease = /\bmarket_agent\.(?:begin_epoch|renew)\(/

/**
 * An agent that shares a store counts its lease from before it asked, and not from the answer. It may have been paused before it
 * read that, and another agent has taken over meanwhile.
 */
export class LeasePromises {
  readonly #break: Break
  readonly #agentName: string
  readonly #nowMs: () => number
  /** When the last lease that it has an answer for was asked for. */
  #askedMs = Number.NEGATIVE_INFINITY

  constructor(onBroken: Break, agentName: string, nowMs: () => number) {
    this.#break = onBroken
    this.#agentName = agentName
    this.#nowMs = nowMs
  }

  readonly witness: Pick<AgentWitness, 'onStatusGiven'> = {
    // The status waits for the store after it has looked at the lease.
    onStatusGiven: ({ store }, askedMs) => {
      const leftMs = Math.max(0, this.#askedMs + mayBeginMs - askedMs)
      const shownMs = (store?.leaseS ?? 0) * 1_000
      if (shownMs > leftMs + driftMs)
        this.#break('a lease counts from before it was asked for', `${this.#agentName}: ${shownMs} ms, not ${leftMs}`)
    },
  }

  /** The same session of this agent, watched. */
  watch(session: StoreSession): StoreSession {
    const { client } = session
    return {
      ...session,
      client: {
        query: async (sql, values) => {
          const askedMs = this.#nowMs()
          const result = await client.query(sql, values)
          if (asksForLease.test(sql)) this.#askedMs = askedMs
          return result
        },
        on: (event, listener) => client.on(event, listener),
      },
    }
  }
}
