import type { HostClock } from '../../host-clock.ts'
import type { GameCall, Told } from '../game/call-agent.ts'
import type { Break } from './judge.ts'

/** How long an envelope lives, less what a clock may drift. */
const lifetimeMs = 290_000

interface EnvelopePromisesParts {
  readonly break: Break
  readonly nowMs: () => number
  /** Of the host. The next process does not know how old an answer is if it was set meanwhile. */
  readonly clock: Pick<HostClock, 'lastSetMs'>
}

/** A game client may act once with each envelope, so an id has only one while that lives (I2). */
export class EnvelopePromises {
  readonly #parts: EnvelopePromisesParts
  readonly #first = new Map<string, { readonly text: string; readonly atMs: number }>()

  constructor(parts: EnvelopePromisesParts) {
    this.#parts = parts
  }

  readonly onTold = ({ operation, id }: GameCall, { ok, text }: Told): void => {
    if (!operation.endsWith('.envelope') || id === undefined || !ok) return
    const { nowMs, clock } = this.#parts
    const first = this.#first.get(id)
    const envelope = text.replace(',"replayed":true', '')
    if (first?.text === envelope) return
    this.#first.set(id, { text: envelope, atMs: nowMs() })
    if (first && nowMs() < first.atMs + lifetimeMs && (clock.lastSetMs ?? 0) < first.atMs)
      this.#parts.break('an id gets one envelope while that lives', `${id}: ${first.text} and ${envelope}`)
  }
}
