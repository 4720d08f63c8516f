/** The day of a world, as everybody in it sees it. */
export interface Day {
  phase: Phase['at']
  /** When the storm was over: virtual time. From then on only the network is slow, and a few things break in waves. */
  stormEndedMs: number
}

/**
 * Where the day is.
 * - `open`: people sell and buy in the storm.
 * - `calm`: what has begun continues, and nothing new hides what arrives late.
 * - `wave`: people buy and play over a slow network.
 * - `hush`: the rest of some waves, after something broke. Nobody buys, plays or asks, so what the agent has forgotten stays
 *   visible.
 * - `night`: follows a few waves. People do not buy or play, the network is still slow, and a disk may be full.
 * - `dawn`: a few people buy. Every answer of before the night has expired.
 * - `closing`: what has begun ends.
 * - `closed`: the agents were started again, so that nothing is only in their memory.
 */
export type Phase =
  | { readonly at: 'open' }
  | { readonly at: 'calm'; readonly sinceMs: number; readonly wavesLeft: number }
  | { readonly at: 'wave' | 'hush'; readonly sinceMs: number; readonly wavesLeft: number; readonly next: AfterWave }
  | { readonly at: 'night' | 'dawn'; readonly sinceMs: number; readonly wavesLeft: number }
  | { readonly at: 'closing'; readonly sinceMs: number }
  | { readonly at: 'closed'; readonly finishedSinceMs: number | undefined }

/** When the network is slow after the storm. */
export const slowPhases: ReadonlySet<Phase['at']> = new Set(['wave', 'hush', 'night', 'dawn'])

/** What may follow a wave. After a second wave nobody sees what the first one spoiled. But repairs then meet new calls. */
export type AfterWave = 'calm' | 'night' | 'wave'

/** What is known when it is asked whether the phase is over. */
export interface Hour {
  readonly nowMs: number
  /** Nothing is open, and nobody is left with a wrong idea. */
  readonly isFinished: boolean
  /** How long a calm lasts. */
  readonly calmMs: number
  /** What follows a wave that begins now. */
  readonly afterWave: AfterWave
}

/** How long a wave lasts: virtual ms. Longer than an attempt may arrive late, so that what it spoils is made good in the wave. */
export const waveMs = 60_000
/** How long a night lasts: virtual ms. Longer than an answer is remembered. */
export const nightMs = 12 * 60_000
/** How long a dawn lasts: virtual ms. Once a minute an agent deletes answers that have expired, so it does that while people buy. */
export const dawnMs = 2 * 60_000

/** The phase now. Pure. */
export function nextPhase(phase: Phase, { nowMs, isFinished, calmMs, afterWave }: Hour): Phase {
  switch (phase.at) {
    case 'open':
      return phase
    case 'calm':
      if (nowMs < phase.sinceMs + calmMs) return phase
      if (phase.wavesLeft === 0) return { at: 'closing', sinceMs: nowMs }
      return { at: 'wave', sinceMs: nowMs, wavesLeft: phase.wavesLeft - 1, next: afterWave }
    case 'wave':
    case 'hush':
      if (nowMs < phase.sinceMs + waveMs) return phase
      if (phase.next === 'wave' && phase.wavesLeft > 0)
        return { at: 'wave', sinceMs: nowMs, wavesLeft: phase.wavesLeft - 1, next: afterWave }
      return { at: phase.next === 'night' ? 'night' : 'calm', sinceMs: nowMs, wavesLeft: phase.wavesLeft }
    case 'night':
      return nowMs < phase.sinceMs + nightMs ? phase : { ...phase, at: 'dawn', sinceMs: nowMs }
    case 'dawn':
      return nowMs < phase.sinceMs + dawnMs ? phase : { ...phase, at: 'calm', sinceMs: nowMs }
    case 'closing':
      return isFinished ? { at: 'closed', finishedSinceMs: undefined } : phase
    case 'closed':
      return { at: 'closed', finishedSinceMs: isFinished ? (phase.finishedSinceMs ?? nowMs) : undefined }
  }
}
