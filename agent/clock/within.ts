import type { Clock } from './clock.ts'

/** Whether a promise resolves by a deadline (monotonic ms). It rejects as the promise does. */
export async function isWithin(clock: Clock, promise: Promise<unknown>, deadlineMs: number): Promise<boolean> {
  const { promise: isTooLate, resolve } = Promise.withResolvers<false>()
  const cancel = clock.after(Math.max(0, deadlineMs - clock.monotonicMs()), () => resolve(false))
  return Promise.race([promise.then(() => true), isTooLate]).finally(cancel)
}
