import type { Network } from '../network/network.ts'
import type { Random } from '../random.ts'
import { type AfterWave, type Day, nextPhase, type Phase } from './day.ts'
import { platformAddress } from './model-platform.ts'

interface EveningParts {
  readonly random: Random
  readonly day: Day
  readonly network: Network
  /** How long it takes at most until what arrived late is made good. */
  readonly stillMs: number
  /** How often people buy and play over a slow network after the storm. */
  readonly waves: number
  readonly nowMs: () => number
  /** Called when a wave begins. */
  readonly onWave: (next: AfterWave) => void
  /** Called when everything has ended. */
  readonly onClosed: () => void
}

/** How many waves a night follows: few, because it takes as long as all the rest of an evening. */
const nightRate = 0.04
/** How many waves another one follows, in which older stocks are sent again while people buy. */
const nextWaveRate = 0.25
/** A calm is longer than what its wave has left may take until it is made good. */
const calmAfterStillMs = 10_000
/** Longer than an attempt, and shorter than its envelope is valid. */
const slowMsMax = 25_000
/** Many attempts overtake each other, and only a strike leaves one without an answer. In the other waves almost every item has an attempt that may arrive late. */
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
  #healthySinceMs = Number.POSITIVE_INFINITY
  #endSlowness: () => void = () => undefined

  constructor(parts: EveningParts) {
    this.#parts = parts
  }

  /** Since when every request arrives soon; never in a wave, at night or at dawn. */
  get healthySinceMs(): number {
    return this.#healthySinceMs
  }

  /** The faults are over. A start would hide what they left, so it begins with a calm. */
  begin(): void {
    const sinceMs = this.#parts.nowMs()
    this.#parts.day.stormEndedMs = sinceMs
    this.#enter({ at: 'calm', sinceMs, wavesLeft: this.#parts.waves })
  }

  /** @param isFinished As `Hour`. */
  continue(isFinished: boolean): void {
    const { nowMs, random, stillMs } = this.#parts
    const calmMs = stillMs + calmAfterStillMs
    const otherwise = random.happens(nextWaveRate) ? 'wave' : 'calm'
    const afterWave = random.happens(nightRate) ? 'night' : otherwise
    const next = nextPhase(this.#phase, { nowMs: nowMs(), isFinished, calmMs, afterWave })
    if (next.at === 'closed' && this.#phase.at === 'closed') this.#phase = next
    else if (next !== this.#phase) this.#enter(next)
  }

  /** Nobody buys or plays until the wave is over. */
  hush(): void {
    const phase = this.#phase
    // Another wave would hide what the calm is to show.
    if (phase.at === 'wave') this.#enter({ ...phase, at: 'hush', next: phase.next === 'night' ? 'night' : 'calm' })
  }

  /** Whether nothing can arrive late any more after everything has ended. */
  get isOver(): boolean {
    const { nowMs, stillMs } = this.#parts
    const finishedSinceMs = this.#phase.at === 'closed' ? this.#phase.finishedSinceMs : undefined
    return finishedSinceMs !== undefined && nowMs() >= finishedSinceMs + stillMs
  }

  #enter(phase: Phase): void {
    const { day, nowMs, onWave, onClosed } = this.#parts
    this.#phase = phase
    day.phase = phase.at
    if (phase.at === 'wave') {
      this.#endSlowness()
      this.#healthySinceMs = Number.POSITIVE_INFINITY
      this.#endSlowness = this.#slowDown()
      onWave(phase.next)
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
