import type { IdempotencyJournal } from '../../../agent/call/idempotency-journal.ts'
import type { RepairJournal } from '../../../agent/call/repair-journal.ts'
import { type Clock, clockOver } from '../../../agent/clock/clock.ts'
import { DiskFaults } from '../disk/disk-faults.ts'
import { startHost } from '../fixtures/start-host.ts'
import type { ModelProcess } from '../process.ts'
import { Random } from '../random.ts'
import { newJournalLog, openModelJournal } from './model-journal.ts'

/** A journal as the agent has it. */
export type Journal = IdempotencyJournal & RepairJournal

/** How a process ends. */
export type ProcessEnd = 'close' | 'kill' | 'power cut'

/** What a process gives to the journal that it opens. */
export interface JournalParts {
  readonly process: ModelProcess
  readonly clock: Clock
  readonly isUnanswered: (id: string) => boolean
  readonly onFull: (cause: Error | undefined) => void
  readonly onFatal: (error: Error) => void
}

/** A journal on some disk, model or real, without the processes that open it. */
export interface JournalOnDisk {
  open(parts: JournalParts): Journal
  /** The process that had it open has ended. */
  crash(how: 'kill' | 'power cut'): void
  setFull(isFull: boolean): void
  dispose(): void
}

/** One process with a journal. */
export interface JournalSession {
  readonly journal: Journal
  /** Lets time pass on both clocks of the process. */
  pass(ms: number): Promise<void>
  /** Sets the wall clock forward, or back. */
  setWallClock(byMs: number): void
  setFull(isFull: boolean): void
  /** Each call of `onFull`: whether there was no room any more. */
  readonly reportedFull: readonly boolean[]
}

/** A journal that several processes open one after another. */
export interface JournalUnderTest extends Disposable {
  /** The requests that were claimed and are not answered. */
  readonly unanswered: Set<string>
  /** Opens the journal in a new process and ends it after the script. A power cut loses everything that was not synced. */
  run<Result>(script: (session: JournalSession) => Promise<Result>, end?: ProcessEnd): Promise<Result>
  /** Time that passes between two processes. */
  passBetween(ms: number): Promise<void>
  /** Sets the wall clock of the host. */
  setWallClock(byMs: number): void
}

/** Puts a journal on a model host. */
export function journalUnderTest(disk: JournalOnDisk): JournalUnderTest {
  const { host, run } = startHost()
  const unanswered = new Set<string>()
  const setWallClock = (byMs: number) => {
    host.clock.wallOffsetMs += byMs
  }
  return {
    unanswered,
    setWallClock,
    passBetween: (ms) => run(({ process }) => clockOver(process.time).sleep(ms)),
    async run(script, end = 'close') {
      const result = await run(async ({ process }) => {
        const clock = clockOver(process.time)
        const reportedFull: boolean[] = []
        const journal = disk.open({
          process,
          clock,
          isUnanswered: (id) => unanswered.has(id),
          onFull: (cause) => reportedFull.push(cause !== undefined),
          onFatal: (error) => {
            throw error
          },
        })
        const pass = (ms: number) => clock.sleep(ms)
        const result = await script({ journal, pass, setWallClock, reportedFull, setFull: disk.setFull })
        if (end === 'close') await journal.close()
        return result
      })
      if (end !== 'close') disk.crash(end)
      return result
    },
    [Symbol.dispose]: () => disk.dispose(),
  }
}

/** The model, whose power cuts take as much as they can. */
export function modelJournalOnDisk(): JournalOnDisk {
  const log = newJournalLog('model')
  const faults = new DiskFaults()
  let heal: () => void = () => undefined
  return {
    open: (parts) => openModelJournal({ ...parts, log, faults, path: '/state/journal.db' }),
    crash(how) {
      if (how === 'power cut') log.cutPower({ integer: (min) => min })
    },
    setFull(isFull) {
      heal()
      if (isFull) heal = faults.add({ calls: ['write'], codes: ['ENOSPC'], rate: 1 }, new Random('full'))
    },
    dispose: () => undefined,
  }
}
