import type { Network } from '../network/network.ts'
import type { Random } from '../random.ts'
import { type Day, nextPhase, type Phase } from './day.ts'
import { platformAddress } from './model-platform.ts'

interface EveningParts {
  readonly random: Random
  readonly day: Day
  readonly network: Network
  /** How long it takes at most until what arrived late is made good. */
  readonly stillMs: number
  readonly nowMs: () => number
  /** Called when a wave begins. */
  readonly onWave: (isNightNext: boolean) => void
  /** Called when everything has ended. */
  readonly onClosed: () => void
}

/** How often people buy and play over a slow network after the storm. */
const waves = 3
const nightRate = 0.02
/** A calm is longer than what its wave has left may take until it is made good. */
const calmAfterStillMs = 10_000
/** Longer than an attempt, and shorter than its envelope is valid. */
const slowMsMax = 25_000
/** Every attempt is answered, but many overtake each other. In a wave of the other kind nearly each item has one that may arrive late. */
const slowButSure = { rate: 0.3, slowMsMax: 3_000 }
/** How many requests a gateway gives up on, although they arrive, and how many it does not pass on. */
const gatewayFaults = [
  { fault: 'intermediary gives up', rate: 0.05 },
  { fault: 'turned away', rate: 0.1 },
] as const

/** The rest of the day after the storm. */
export class Evening {
  readonly #parts: EveningParts
  #phase: Phase = { at: 'open' }
  /** After the wave. */
  #isNightNext = false
  #healthySinceMs = Number.POSITIVE_INFINITY
  #endSlowness: () => void = () => undefined

  constructor(parts: EveningParts) {
    this.#parts = parts
  }

  /** Since when every request arrives soon; never in a wave. */
  get healthySinceMs(): number {
    return this.#healthySinceMs
  }

  /** The faults are over. A start would hide what they left, so it begins with a calm. */
  begin(): void {
    const sinceMs = this.#parts.nowMs()
    this.#parts.day.stormEndedMs = sinceMs
    this.#enter({ at: 'calm', sinceMs, wavesLeft: waves })
  }

  /** @param isFinished As `Hour`. */
  continue(isFinished: boolean): void {
    const { nowMs, stillMs } = this.#parts
    const calmMs = stillMs + calmAfterStillMs
    const next = nextPhase(this.#phase, { nowMs: nowMs(), isFinished, calmMs, isNightNext: this.#isNightNext })
    if (next.at === this.#phase.at) this.#phase = next
    else this.#enter(next)
  }

  /** Whether nothing can arrive late any more after everything has ended. */
  get isOver(): boolean {
    const { nowMs, stillMs } = this.#parts
    const finishedSinceMs = this.#phase.at === 'closed' ? this.#phase.finishedSinceMs : undefined
    return finishedSinceMs !== undefined && nowMs() >= finishedSinceMs + stillMs
  }

  #enter(phase: Phase): void {
    const { day, nowMs, random, onWave, onClosed } = this.#parts
    this.#phase = phase
    day.phase = phase.at
    if (phase.at === 'wave') {
      this.#healthySinceMs = Number.POSITIVE_INFINITY
      this.#endSlowness = this.#slowDown()
      this.#isNightNext = random.happens(nightRate)
      onWave(this.#isNightNext)
    }
    if (phase.at === 'calm') {
      this.#endSlowness()
      this.#healthySinceMs = nowMs()
    }
    if (phase.at === 'closed') onClosed()
  }

  #slowDown(): () => void {
    const { network, random } = this.#parts
    if (random.happens(slowButSure.rate)) return network.faults.slowMsMax.add(slowButSure.slowMsMax)
    const faults = gatewayFaults.map((fault) => network.faults.add({ ...fault, address: platformAddress, random }))
    const ends = [network.faults.slowMsMax.add(slowMsMax), ...faults]
    return () => {
      for (const end of ends) end()
    }
  }
}
