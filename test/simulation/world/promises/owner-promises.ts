import { dirname } from 'node:path'
import type { Status } from '../../../../agent/status/status.ts'
import type { AgentState } from '../../agent/model-outside.ts'
import type { AgentWitness } from '../witnessed.ts'
import type { Break } from './judge.ts'

interface OwnerPromisesParts {
  readonly break: Break
  readonly state: Pick<AgentState, 'owned'>
  readonly spool: string
}

/** An agent claims requests and publishes answers only while no other agent can lock its spool. Orders need no lock. */
export class OwnerPromises implements Partial<AgentWitness> {
  readonly #parts: OwnerPromisesParts

  constructor(parts: OwnerPromisesParts) {
    this.#parts = parts
  }

  onStatusGiven({ ready }: Pick<Status, 'ready'>): void {
    const { state, spool } = this.#parts
    if (ready && !state.owned.has(spool)) this.#parts.break('an agent is ready only when it has the lock of its spool')
  }

  onRenamed(from: string, to: string): void {
    const { state, spool } = this.#parts
    const isOfCall = [from, to].some((path) => [`${spool}/outbox`, `${spool}/inbox`].includes(dirname(path)))
    if (isOfCall && !state.owned.has(spool))
      this.#parts.break('an agent works in a spool only while it has the lock of it', to)
  }
}
