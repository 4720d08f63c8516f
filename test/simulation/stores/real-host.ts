import type { Clock } from '../../../agent/clock/clock.ts'
import { systemClock } from '../../../agent/clock/system-clock.ts'
import type { HostProcess, StoreHost } from './store-under-test.ts'

/** A process in real time, which a test lets pass faster. */
export interface RealProcess extends HostProcess {
  /** Lets time pass on its clocks, and calls back what is due. */
  pass(ms: number): void
}

/**
 * This host, for a store behind a socket. Time stands still for the processes unless a test lets it pass, so that no test
 * waits for it.
 *
 * @param passForStore Lets time pass for the store too, and resolves when what a process has begun by then is done.
 */
export function realHost(passForStore: (ms: number) => Promise<void>): StoreHost<RealProcess> {
  let wallOffsetMs = 0
  return {
    run: (script) => script(newProcess(() => wallOffsetMs)),
    async pass(process, ms) {
      process.pass(ms)
      await passForStore(ms)
    },
    setWallClock(byMs) {
      wallOffsetMs += byMs
    },
  }
}

interface Timer {
  readonly dueMs: number
  readonly callback: () => void
}

function newProcess(wallOffsetMs: () => number): RealProcess {
  const timers = new Set<Timer>()
  let passedMs = 0
  const after = (delayMs: number, callback: () => void) => {
    const timer = { dueMs: passedMs + delayMs, callback }
    timers.add(timer)
    return () => void timers.delete(timer)
  }
  const clock: Clock = {
    wallMs: () => Date.now() + passedMs + wallOffsetMs(),
    monotonicMs: () => passedMs,
    after,
    sleep: (delayMs) => new Promise((resolve) => void after(delayMs, resolve)),
    nextTurn: () => systemClock.nextTurn(),
  }
  return {
    clock,
    pass(ms) {
      passedMs += ms
      for (const timer of timers) {
        if (timer.dueMs > passedMs) continue
        timers.delete(timer)
        timer.callback()
      }
    },
  }
}
