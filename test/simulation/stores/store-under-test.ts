import type { Clock } from '../../../agent/clock/clock.ts'

/** How a process ends. */
export const processEnds = ['close', 'kill', 'power cut'] as const
export type ProcessEnd = (typeof processEnds)[number]

/** What a process gives to the store that it opens. */
export interface StoreParts {
  readonly clock: Clock
  readonly isUnanswered: (id: string) => boolean
  readonly onFull: (cause: Error | undefined) => void
  readonly onFatal: (error: Error) => void
}

/** A process that can open a store. */
export interface HostProcess {
  readonly clock: Clock
}

/** Where the processes run, one after another. Each has all time that passes. */
export interface StoreHost<Process extends HostProcess> {
  /** Runs a script as a process, to its end. */
  run<Result>(script: (process: Process) => Promise<Result>): Promise<Result>
  /** Lets time pass for a process and its store. */
  pass(process: Process, ms: number): Promise<void>
  /** Sets the wall clock of the host forward, or back. */
  setWallClock(byMs: number): void
}

/** A store on some disk, model or real, without the processes that open it. */
export interface StoreOnDisk<Store, Process> extends AsyncDisposable {
  open(process: Process, parts: StoreParts): Store | Promise<Store>
  /** The process that had it open has ended. A power cut takes as much as it can. */
  crash(how: 'kill' | 'power cut'): Promise<void>
  setFull(isFull: boolean): void | Promise<void>
}

/** One process with a store. */
export interface StoreSession<Store> {
  readonly store: Store
  /** Lets time pass on both clocks of the process. */
  pass(ms: number): Promise<void>
  /** Sets the wall clock forward, or back. */
  setWallClock(byMs: number): void
  setFull(isFull: boolean): void | Promise<void>
  /** Each call of `onFull`: whether there was no room any more. */
  readonly reportedFull: readonly boolean[]
}

/** A store that several processes open, one after another. */
export interface StoreUnderTest<Store> extends AsyncDisposable {
  /** The requests that were claimed and are not answered. */
  readonly unanswered: Set<string>
  /** Opens the store in a new process and ends the process after the script. */
  run<Result>(script: (session: StoreSession<Store>) => Promise<Result>, end?: ProcessEnd): Promise<Result>
  /** Time that passes between two processes. */
  passBetween(ms: number): Promise<void>
  /** Sets the wall clock of the host. */
  setWallClock(byMs: number): void
}

/** Makes a store of its own for one test. */
export type NewStore<Store> = () => StoreUnderTest<Store> | Promise<StoreUnderTest<Store>>

/** Puts a store on a host. */
export function storeUnderTest<Store extends { close(): Promise<void> }, Process extends HostProcess>(
  disk: StoreOnDisk<Store, Process>,
  host: StoreHost<Process>,
): StoreUnderTest<Store> {
  const unanswered = new Set<string>()
  const setWallClock = (byMs: number) => host.setWallClock(byMs)
  return {
    unanswered,
    setWallClock,
    passBetween: (ms) => host.run((process) => host.pass(process, ms)),
    async run(script, end = 'close') {
      const result = await host.run(async (process) => {
        const reportedFull: boolean[] = []
        const store = await disk.open(process, {
          clock: process.clock,
          isUnanswered: (id) => unanswered.has(id),
          onFull: (cause) => reportedFull.push(cause !== undefined),
          onFatal: (error) => {
            throw error
          },
        })
        const pass = (ms: number) => host.pass(process, ms)
        const result = await script({ store, pass, setWallClock, reportedFull, setFull: disk.setFull })
        if (end === 'close') await store.close()
        return result
      })
      if (end !== 'close') await disk.crash(end)
      return result
    },
    [Symbol.asyncDispose]: () => disk[Symbol.asyncDispose](),
  }
}
