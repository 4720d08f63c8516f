import { setTimeout as wait } from 'node:timers/promises'

const lookIntervalMs = 10
/** Shorter than a test may take, so that the test says what did not come. */
const boundMs = 100_000

/** Thrown by a look that will never find anything: the wait ends at once with this error. */
export class Hopeless extends Error {}

type Nothing = undefined | null | false

/**
 * What a look finds, as soon as it finds something: for promises that are kept in files and in other processes. A look
 * that finds nothing returns `undefined`, `null` or `false`, or throws.
 *
 * @param what Its name in the error, such as `order 17`.
 * @throws {Error} It found nothing within 100 s. The cause is what the last look threw.
 */
export async function until<Found>(
  look: () => Found | Promise<Found>,
  what = String(look),
): Promise<Exclude<Found, Nothing>> {
  const endMs = performance.now() + boundMs
  for (;;) {
    let cause: unknown
    try {
      const found = await look()
      if (found !== undefined && found !== null && found !== false) return found as Exclude<Found, Nothing>
    } catch (error) {
      if (error instanceof Hopeless) throw error
      cause = error
    }
    if (performance.now() > endMs) throw new Error(`not within ${boundMs / 1_000} s: ${what}`, { cause })
    await wait(lookIntervalMs)
  }
}
