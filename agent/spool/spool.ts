import type { Clock } from '../clock/clock.ts'
import { causeOf } from '../durable-files/cause.ts'
import { cureOf } from '../durable-files/cure.ts'
import type { Log } from '../log/log.ts'
import { startHeartbeat } from './heartbeat.ts'
import { OutboxEvents } from './outbox-events.ts'
import type { WhyLeftAlone } from './outbox-scan.ts'
import { patientFs } from './patient-fs.ts'
import type { RequestPathOptions } from './request-path.ts'
import { SharedSyncs } from './shared-syncs.ts'
import { isCaseInsensitive, makeSpoolDirs, probeSpool, type SpoolDirs } from './spool-dirs.ts'
import { SpoolHealth } from './spool-health.ts'
import { SpoolWorker } from './spool-worker.ts'
import { sweep } from './sweep.ts'

/** What a spool works with. */
export interface SpoolOptions {
  readonly dirs: SpoolDirs
  /** @throws {RemovedError} The spool is not the one that the agent owns any more. */
  readonly assertOwned: () => void
  readonly clock: Clock
  readonly log: Log
  /** Name and version. */
  readonly agent: string
  readonly journal: { readonly name: string; forgetEnded(id: string): Promise<void> }
  readonly unanswered: Set<string>
  readonly takeTurn: RequestPathOptions['takeTurn']
  readonly answerCall: RequestPathOptions['answerCall']
  /** Why calls may not go through, beside what is wrong with the spool; empty when nothing is. */
  readonly reasons: () => readonly string[]
  readonly broke: (error: Error) => void
}

/** Interface C, at work. */
export interface Spool {
  stop(): Promise<void>
}

const sweepIntervalMs = 3_600_000

const curesOfNames: Readonly<Record<WhyLeftAlone, string>> = {
  'device-name': 'write the request under another name',
  'not-a-regular-file': 'write a request as a regular file; remove what is none',
}

/**
 * Starts interface C: recovers what was claimed, then looks every 200 ms. Events of the file system only wake it
 * earlier; where there are none, nothing is lost but the time.
 *
 * @throws {SpoolUnusableError} The directories cannot be worked with.
 */
export async function startSpool(options: SpoolOptions): Promise<Spool> {
  const { dirs, clock, log, journal } = options
  makeSpoolDirs(dirs)
  probeSpool(dirs)
  const fs = patientFs(clock)
  const health = new SpoolHealth(dirs)
  const warn = (error: Error, what: string, where: object = {}) =>
    log.warn({ ...where, cause: causeOf(error), cure: cureOf(error) }, what)
  const earlyWaking = new OutboxEvents(
    dirs.outbox,
    () => worker.wake(),
    (error) =>
      log.warn(
        { cause: causeOf(error), cure: 'on Linux raise fs.inotify.max_user_watches; nothing is lost but the time' },
        'no file events; the outbox is looked at every 200 ms',
      ),
  )
  const worker = new SpoolWorker({
    dirs,
    fs,
    syncs: new SharedSyncs(clock),
    clock,
    earlyWaking,
    assertOwned: options.assertOwned,
    owner: journal.name,
    takeTurn: options.takeTurn,
    answerCall: options.answerCall,
    isCaseInsensitive,
    forgetEnded: (id) => journal.forgetEnded(id),
    unanswered: options.unanswered,
    events: {
      leftAlone: (name, why) => log.warn({ name, why, cure: curesOfNames[why] }, 'left alone in the spool'),
      troubled: (where, error) => {
        health.troubled()
        warn(error, 'the spool cannot be worked with; tried again', { where })
      },
      recovered: (claim) => log.info({ claim }, 'recovered a claim'),
      broke: options.broke,
    },
  })
  await worker.start()
  const stopHeartbeat = startHeartbeat({
    root: dirs.root,
    agent: options.agent,
    clock,
    state: () => {
      const reasons = [...options.reasons(), ...health.reasons()]
      return { ready: reasons.length === 0, reasons }
    },
    failed: (error) => warn(error, 'agent.json cannot be written; tried again'),
  })
  const stopSweeping = every(sweepIntervalMs, clock, () =>
    sweep(dirs, clock, fs).catch((error: Error) => warn(error, 'cannot sweep the spool; tried again in an hour')),
  )
  return {
    async stop() {
      stopSweeping()
      stopHeartbeat()
      await worker.stop()
    },
  }
}

function every(intervalMs: number, clock: Clock, act: () => void): () => void {
  let cancel: () => void = () => undefined
  const turn = (): void => {
    act()
    cancel = clock.after(intervalMs, turn)
  }
  turn()
  return () => cancel()
}
