import type { Work } from './work.ts'

/** What to do, how hard, and for how long. */
export interface LoadOrder {
  readonly work: Work
  readonly inFlight: number
  readonly seconds: number
  /** Gives each call an id of its own, so that the agent's journal keeps its answer. */
  readonly withIds?: boolean
}

/** What one loop did. */
export interface Load {
  readonly elapsedS: number
  /** One for each call, in the order of the answers. */
  readonly latenciesMs: readonly number[]
}

/**
 * Keeps `inFlight` calls under way: each answer starts the next call at once. Ends when the time is over and everything
 * under way is answered.
 *
 * @throws Whatever the first failing call threw.
 */
export async function closedLoop(
  { inFlight, seconds }: Pick<LoadOrder, 'inFlight' | 'seconds'>,
  call: () => Promise<void>,
): Promise<Load> {
  const latenciesMs: number[] = []
  const startMs = performance.now()
  const endMs = startMs + seconds * 1_000
  async function callUntilTheEnd(): Promise<void> {
    let beginMs = performance.now()
    while (beginMs < endMs) {
      await call()
      const answeredMs = performance.now()
      latenciesMs.push(answeredMs - beginMs)
      beginMs = answeredMs
    }
  }
  await Promise.all(Array.from({ length: inFlight }, callUntilTheEnd))
  return { elapsedS: (performance.now() - startMs) / 1_000, latenciesMs }
}
