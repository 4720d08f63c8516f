import type { Clock } from '../clock/clock.ts'
import type { PlatformProblem } from './problem-table.ts'

/** What an attempt shows about the way to the platform. */
export type ContactSign =
  /** An answer in the interface's form to a signed call; a refusal is one too. */
  | { readonly kind: 'proof' }
  /** A 404 in the interface's form: a proof only if there was another one before. */
  | { readonly kind: 'not-found'; readonly problem: PlatformProblem }
  | { readonly kind: 'problem'; readonly problem: PlatformProblem }

/** The state of the way to the platform. */
export type ContactState =
  /** No signed call was answered yet. */
  { readonly at: 'unproven' } | { readonly at: 'well' } | { readonly at: 'problem'; readonly problem: PlatformProblem }

const unprovenReason =
  'no answer from the platform to a signed call yet: the first call that goes through ends this; market-agent check tries the way to the platform'

/** What the attempts have shown. The agent is not ready before one has proved that calls go through. */
export class Contact {
  /** Unix ms of the last proof. */
  lastContactAtMs: number | undefined
  readonly #clock: Clock
  readonly #onChange: (state: ContactState) => void
  #state: ContactState = { at: 'unproven' }
  #provenMs = Number.NEGATIVE_INFINITY
  #isStopped = false

  /** @param onChange Called when the state is another one, or the problem of another kind. */
  constructor(clock: Clock, onChange: (state: ContactState) => void) {
    this.#clock = clock
    this.#onChange = onChange
  }

  /** @param startedMs Monotonic time at which the attempt began. */
  observe(sign: ContactSign, startedMs: number): void {
    if (this.#isStopped) return
    const wasProven = this.lastContactAtMs !== undefined
    if (sign.kind === 'proof' || (sign.kind === 'not-found' && wasProven)) {
      this.#provenMs = this.#clock.monotonicMs()
      this.lastContactAtMs = this.#clock.wallMs()
      this.#set({ at: 'well' })
    } else if (startedMs >= this.#provenMs) {
      // An attempt that is older than the last proof says nothing about now.
      this.#set({ at: 'problem', problem: sign.problem })
    }
  }

  /** The agent ends, and cuts attempts off itself. They show nothing. */
  stop(): void {
    this.#isStopped = true
  }

  /** Why calls may not go through, each with its cure. Empty when the last one did. */
  get reasons(): readonly string[] {
    if (this.#state.at === 'well') return []
    if (this.#state.at === 'unproven') return [unprovenReason]
    const { problem, cure } = this.#state.problem
    return [`${problem}: ${cure}`]
  }

  #set(state: ContactState): void {
    const before = this.#state
    this.#state = state
    if (kindOf(state) !== kindOf(before)) this.#onChange(state)
  }
}

function kindOf(state: ContactState): string {
  return state.at === 'problem' ? state.problem.kind : state.at
}
