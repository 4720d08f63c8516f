import type { Clock } from './clock.ts'

/**
 * Acts now, and again `intervalMs` after each time has ended.
 *
 * @param act Must not throw.
 * @returns Stops it.
 */
export function repeat(clock: Clock, intervalMs: number, act: () => Promise<unknown>): () => void {
  let isStopped = false
  let cancelTimer: () => void = () => undefined
  const actAndWait = async (): Promise<void> => {
    await act()
    if (!isStopped) cancelTimer = clock.after(intervalMs, () => void actAndWait())
  }
  void actAndWait()
  return () => {
    isStopped = true
    cancelTimer()
  }
}
