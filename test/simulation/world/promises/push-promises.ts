import { type AgentState, openOrdersIn } from '../../agent/model-outside.ts'
import type { AgentWitness } from '../witnessed.ts'
import type { ProcessParts } from './judge.ts'
import { Since } from './since.ts'

interface PushParts extends ProcessParts {
  readonly state: AgentState
  /** Whether a process works. */
  readonly isWorking: () => boolean
}

/** 30 s between two posts, 10 s for the answer, and a look. */
const unpostedMsMax = 45_000

/** A game server that was away has what it must know seconds after it is back: the agent posts at least every 30 s. */
export class PushPromises implements Partial<AgentWitness> {
  readonly #parts: PushParts
  #postedMs = Number.NEGATIVE_INFINITY
  readonly #waiting: Since

  constructor(parts: PushParts) {
    this.#parts = parts
    this.#waiting = new Since(parts.nowMs)
  }

  onPushed(_headers: readonly string[], event: string | undefined): void {
    if (event === 'transaction_terminal') this.#postedMs = this.#parts.nowMs()
  }

  check(): void {
    const { state, startedMs, isWorking, nowMs } = this.#parts
    const isWaiting = isWorking() && openOrdersIn(state).some(({ phase }) => phase === 'ended')
    const waiting = isWaiting ? [`since ${startedMs()}, after ${this.#postedMs}`] : []
    if (this.#waiting.look(waiting, unpostedMsMax) !== undefined)
      this.#parts.break('a terminal event is posted until the game server has it', `${nowMs() - this.#postedMs} ms`)
  }

  /** What was so before does not count. */
  reset(): void {
    this.#waiting.reset()
  }
}
