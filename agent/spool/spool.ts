import { repeat } from '../clock/repeat.ts'
import { windowClock } from '../clock/window-clock.ts'
import { patientFs } from '../durable-files/retries.ts'
import { SharedSyncs } from '../durable-files/shared-syncs.ts'
import { causeOf } from '../durable-files/system-errors.ts'
import { cures } from '../language/cures.ts'
import { sentenceOf } from '../language/problem.ts'
import type { Log } from '../log/log.ts'
import { startHeartbeat } from './heartbeat.ts'
import { outboxEvents, type WatchDir } from './outbox-events.ts'
import { countFiles, keptMs, removeExpired } from './own-files.ts'
import { makeSpoolDirs, probeSpool, spoolReasons, warningAboutRoot, watchDirs } from './spool-dirs.ts'
import { spoolLog } from './spool-log.ts'
import { SpoolWorker, type SpoolWorkerOptions } from './spool-worker.ts'

/** What a spool works with. */
export interface SpoolOptions
  extends Pick<
    SpoolWorkerOptions,
    'dirs' | 'files' | 'table' | 'clock' | 'journal' | 'takeTurn' | 'answerCall' | 'onFatal'
  > {
  /**
   * @throws {RemovedError} The spool is no longer the one that the agent owns.
   * @throws {DirUnusableError} There is no room yet for the lock that makes it the agent's.
   */
  readonly assertOwned: () => void
  readonly watchDir: WatchDir
  readonly log: Log
  /** Name and version. */
  readonly agent: string
  /** Why calls may fail, apart from problems of the spool. Empty when nothing is. */
  readonly reasons: () => readonly string[]
  /** The names of the files that wait in `events/`. */
  readonly events: () => readonly string[]
}

/** Interface C, at work. */
export interface Spool {
  /** Why requests are not read or answered, each with its cure. Empty when they are. */
  reasons(): readonly string[]
  status(): Promise<SpoolStatus>
  /** Resolves when every call under way is answered. A second call returns the same promise. */
  stop(): Promise<void>
}

/** As GET /status shows the spool. */
export interface SpoolStatus {
  readonly dir: string
  /** Number of requests that are not claimed. */
  readonly backlog: number
  /** How long the oldest request has been without an answer; null if there is none. */
  readonly oldestAgeS: number | null
  /** Number of requests that are claimed and not answered. */
  readonly inFlight: number
  /** Number of refused files that are kept. */
  readonly rejected: number
}

const retentionIntervalMs = 3_600_000

/**
 * Interface C: recovers what was claimed, then scans every 200 ms. File events only make a scan earlier; without them
 * nothing is lost but time.
 *
 * @throws {SpoolUnusableError} The directories cannot be worked with.
 * @throws {NodeJS.ErrnoException} The same.
 * @throws As `assertOwned`.
 */
export async function openSpool(options: SpoolOptions): Promise<Spool> {
  const { dirs, files, watchDir, clock, log, assertOwned } = options
  const fs = patientFs(files, clock)
  const report = spoolLog(log, clock)
  const watch = watchDirs(files, dirs, (dir) =>
    log.warn({ dir }, 'a directory of the spool was replaced by another one'),
  )
  const makeDirs = (): void => {
    assertOwned()
    for (const { dir, mode } of makeSpoolDirs(files, dirs)) log.info({ dir, mode }, 'made a directory of the spool')
  }
  let isInDoubt = false
  const onError = (where: string, error: Error): void => {
    isInDoubt = true
    report.onError(where, error)
  }
  const onNoEvents = (error: Error): void =>
    log.warn(
      { cause: causeOf(error), cure: cures.raiseWatches() },
      'no file events; the outbox is scanned every 200 ms',
    )
  makeDirs()
  probeSpool(files, dirs)
  for (const problem of [...warningAboutRoot(files, dirs), ...spoolReasons(files, dirs, false)])
    log.warn(sentenceOf(problem))
  const worker = new SpoolWorker({
    ...options,
    fs,
    syncs: new SharedSyncs(files, clock),
    outboxEvents: outboxEvents(() => watchDir(dirs.outbox, () => worker.wake(), onNoEvents)),
    checkDirs() {
      assertOwned()
      watch()
    },
    makeDirs,
    onError,
    onIgnored: report.onIgnored,
    onRejected: report.onRejected,
    onRecovered: (claim) => log.info({ claim }, 'recovered a claim'),
  })
  await worker.start()
  const reasons = (): string[] => {
    report.reportEnds()
    const found = spoolReasons(files, dirs, isInDoubt)
    isInDoubt &&= found.length > 0
    return found.map(sentenceOf)
  }
  const stopHeartbeat = startHeartbeat({
    root: dirs.root,
    files,
    agent: options.agent,
    clock,
    reasons: () => [...new Set([...options.reasons(), ...reasons()])],
    events: options.events,
    onError: (error) => report.onError('agent.json', error),
  })
  const nowMs = windowClock(clock, keptMs)
  const stopRetention = repeat(clock, retentionIntervalMs, () =>
    removeExpired({ dirs, files, fs }, nowMs()).catch((error: Error) => report.onError('expired files', error)),
  )
  let stopped: Promise<void> | undefined
  return {
    reasons,
    async status() {
      const { claimed: inFlight, oldestMs } = options.table
      const oldestAgeS = oldestMs === undefined ? null : Math.round((clock.monotonicMs() - oldestMs) / 1000)
      return { dir: dirs.root, ...(await countFiles(files, dirs, clock)), oldestAgeS, inFlight }
    },
    stop() {
      if (!stopped) {
        stopRetention()
        stopHeartbeat()
        stopped = worker.stop()
      }
      return stopped
    },
  }
}
