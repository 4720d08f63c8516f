import type { AgentWitness, LoggedLine } from '../witnessed.ts'
import type { Break } from './judge.ts'

/** How the agent logs that it has asked. */
const asked = 'the platform was asked about every open order'

/** A request to ask the platform about every open order is answered only after new questions. */
export class AskedOrdersPromises implements Partial<AgentWitness> {
  readonly #break: Break
  readonly #nowMs: () => number
  #askedMs = Number.NEGATIVE_INFINITY

  constructor(onBroken: Break, nowMs: () => number) {
    this.#break = onBroken
    this.#nowMs = nowMs
  }

  onLogged({ msg }: LoggedLine): void {
    if (msg === asked) this.#askedMs = this.#nowMs()
  }

  onOrdersChecked(requestedMs: number): void {
    if (this.#askedMs < requestedMs)
      this.#break('the platform is asked about every open order each time', `${requestedMs}`)
  }
}
