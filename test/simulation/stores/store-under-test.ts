import { type Clock, clockOver } from '../../../agent/clock/clock.ts'
import { startHost } from '../fixtures/start-host.ts'
import type { ModelProcess } from '../process.ts'

/** How a process ends. */
export const processEnds = ['close', 'kill', 'power cut'] as const
export type ProcessEnd = (typeof processEnds)[number]

/** What a process gives to the store that it opens. */
export interface StoreParts {
  readonly process: ModelProcess
  readonly clock: Clock
  readonly isUnanswered: (id: string) => boolean
  readonly onFull: (cause: Error | undefined) => void
  readonly onFatal: (error: Error) => void
}

/** A store on some disk, model or real, without the processes that open it. */
export interface StoreOnDisk<Store> extends Disposable {
  open(parts: StoreParts): Store
  /** The process that had it open has ended. A power cut takes as much as it can. */
  crash(how: 'kill' | 'power cut'): void
  setFull(isFull: boolean): void
}

/** One process with a store. */
export interface StoreSession<Store> {
  readonly store: Store
  /** Lets time pass on both clocks of the process. */
  pass(ms: number): Promise<void>
  /** Sets the wall clock forward, or back. */
  setWallClock(byMs: number): void
  setFull(isFull: boolean): void
  /** Each call of `onFull`: whether there was no room any more. */
  readonly reportedFull: readonly boolean[]
}

/** A store that several processes open, one after another. */
export interface StoreUnderTest<Store> extends Disposable {
  /** The requests that were claimed and are not answered. */
  readonly unanswered: Set<string>
  /** Opens the store in a new process and ends the process after the script. */
  run<Result>(script: (session: StoreSession<Store>) => Promise<Result>, end?: ProcessEnd): Promise<Result>
  /** Time that passes between two processes. */
  passBetween(ms: number): Promise<void>
  /** Sets the wall clock of the host. */
  setWallClock(byMs: number): void
}

/** Puts a store on a model host, whose processes and clocks it gets. */
export function storeUnderTest<Store extends { close(): Promise<void> }>(
  disk: StoreOnDisk<Store>,
): StoreUnderTest<Store> {
  const { host, run } = startHost()
  const unanswered = new Set<string>()
  const setWallClock = (byMs: number) => host.clock.setWall(byMs)
  return {
    unanswered,
    setWallClock,
    passBetween: (ms) => run(({ process }) => clockOver(process.time).sleep(ms)),
    async run(script, end = 'close') {
      const result = await run(async ({ process }) => {
        const clock = clockOver(process.time)
        const reportedFull: boolean[] = []
        const store = disk.open({
          process,
          clock,
          isUnanswered: (id) => unanswered.has(id),
          onFull: (cause) => reportedFull.push(cause !== undefined),
          onFatal: (error) => {
            throw error
          },
        })
        const pass = (ms: number) => clock.sleep(ms)
        const result = await script({ store, pass, setWallClock, reportedFull, setFull: disk.setFull })
        if (end === 'close') await store.close()
        return result
      })
      if (end !== 'close') disk.crash(end)
      return result
    },
    [Symbol.dispose]: () => disk[Symbol.dispose](),
  }
}
