import type { CallAnswer } from '../call/answer.ts'
import type { Call } from '../call/call.ts'
import type { Clock } from '../clock.ts'
import type { Log } from '../log.ts'
import { type HeartbeatState, startHeartbeat } from './heartbeat.ts'
import { OutboxEvents } from './outbox-events.ts'
import { patientFs } from './patient-fs.ts'
import { SharedSyncs } from './shared-syncs.ts'
import { makeSpoolDirs, probeSpool, type SpoolDirs } from './spool-dirs.ts'
import { SpoolWorker } from './spool-worker.ts'
import { sweep } from './sweep.ts'

export interface SpoolOptions {
  /** The agent owns it. */
  readonly dirs: SpoolDirs
  readonly clock: Clock
  readonly log: Log
  /** Name and version. */
  readonly agent: string
  readonly journal: { readonly name: string; forgetEnded(id: string): Promise<void> }
  readonly unanswered: Set<string>
  readonly answerCall: (call: Call) => Promise<CallAnswer>
  readonly heartbeat: () => HeartbeatState
  readonly broke: (error: Error) => void
}

/** Interface C, at work. */
export interface Spool {
  stop(): Promise<void>
}

const sweepIntervalMs = 3_600_000

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
  const earlyWaking = new OutboxEvents(
    dirs.outbox,
    () => worker.wake(),
    (error) => log.warn({ cause: causeOf(error) }, 'no file events; the outbox is looked at every 200 ms'),
  )
  const worker = new SpoolWorker({
    dirs,
    fs,
    syncs: new SharedSyncs(clock),
    clock,
    earlyWaking,
    owner: journal.name,
    answerCall: options.answerCall,
    forgetEnded: (id) => journal.forgetEnded(id),
    unanswered: options.unanswered,
    events: {
      leftAlone: (name, why) => log.warn({ name, why }, 'left alone in the outbox: rename it if it is a request'),
      troubled: (where, error) =>
        log.warn({ where, cause: causeOf(error) }, 'the spool cannot be worked with; tried again'),
      recovered: (claim) => log.info({ claim }, 'recovered a claim'),
      broke: options.broke,
    },
  })
  await worker.start()
  const stopHeartbeat = startHeartbeat({
    root: dirs.root,
    agent: options.agent,
    clock,
    state: options.heartbeat,
    failed: (error) => log.warn({ cause: causeOf(error) }, 'agent.json cannot be written; tried again'),
  })
  const stopSweeping = every(sweepIntervalMs, clock, () =>
    sweep(dirs, clock, fs).catch((error: Error) => log.warn({ cause: causeOf(error) }, 'cannot sweep the spool')),
  )
  return {
    async stop() {
      stopSweeping()
      await Promise.all([stopHeartbeat(), worker.stop()])
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

function causeOf(error: Error): string {
  const { code } = error as NodeJS.ErrnoException
  return code === undefined ? error.message : `${code}: ${error.message}`
}
