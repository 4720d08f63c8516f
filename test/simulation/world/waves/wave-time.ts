import type { Random } from '../../random.ts'
import { type Scheduler, worldActor } from '../../scheduler.ts'
import { waveMs } from '../day.ts'

/** How long something lasts, at least and at most, in ms. Short times are as likely as long ones. */
export interface Lasting {
  readonly min: number
  readonly max: number
}

/** What breaks things in a wave. */
export interface WaveTime {
  readonly random: Random
  /** Some time in the wave: early enough for what lasts at most so long. */
  within(lastsMs: number, what: string, act: () => void): void
  /** After a time that is drawn. @returns Calls it off. */
  later(ms: Lasting, what: string, act: () => void): () => void
  /** When the wave that begins now is over. */
  atEnd(what: string, act: () => void): void
  /** Nobody buys or plays until the wave is over. */
  hush(): void
}

const wave = worldActor('wave')

/** The time of the waves of one world. */
export function waveTime(scheduler: Scheduler, random: Random, hush: () => void): WaveTime {
  return {
    random,
    hush,
    within: (lastsMs, what, act) => void scheduler.after(random.between(0, waveMs - lastsMs), wave, what, act),
    later: ({ min, max }, what, act) => scheduler.after(random.magnitude(min, max), wave, what, act),
    atEnd: (what, act) => void scheduler.after(waveMs, wave, what, act),
  }
}

/** How often nobody buys or plays after something broke. */
export const hushRate = 0.4
/** By then a few stocks are refused, or cross each other. */
const untilHushMs = { min: 1_000, max: 10_000 }

/** Makes people stop soon after something broke, often: a newer stock would hide what the agent has forgotten. */
export function hushOften({ random, later, hush }: WaveTime): void {
  if (random.happens(hushRate)) later(untilHushMs, 'nobody says anything new', hush)
}
