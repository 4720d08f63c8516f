import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import type { Call } from '../../../agent/call/call.ts'
import { freeTurn } from '../../../agent/call/turn.ts'
import { StoreFullError } from '../../../agent/database/store-errors.ts'
import type { Files } from '../../../agent/durable-files/files.ts'
import { hostFiles } from '../../../agent/durable-files/host-files.ts'
import { patientFs } from '../../../agent/durable-files/retries.ts'
import { SharedSyncs } from '../../../agent/durable-files/shared-syncs.ts'
import { RequestTable } from '../../../agent/spool/requests.ts'
import { makeSpoolDirs, type SpoolDirs, spoolDirs } from '../../../agent/spool/spool-dirs.ts'
import { SpoolWorker } from '../../../agent/spool/spool-worker.ts'
import { limits } from '../../../contract/limits.ts'
import { until } from '../../../scripts/until.ts'
import { memoryJournal } from '../fixtures/call-pipeline.ts'
import { LiveClock } from '../fixtures/live-clock.ts'
import { eligible, putRequest } from '../fixtures/spool-fixture.ts'
import { TestClock } from '../fixtures/test-clock.ts'

/** Only the worker, over real files, with calls that a test can make fail. */
interface TestWorker extends AsyncDisposable {
  readonly worker: SpoolWorker
  readonly table: RequestTable
  readonly dirs: SpoolDirs
  readonly clock: LiveClock
  readonly calls: string[]
  /** What a person reads in the log. */
  readonly reported: string[]
}

interface WorkerFaults {
  readonly files?: Partial<Files>
  readonly answered?: Promise<void>
  /** As the journal's. */
  readonly forgetEnded?: () => Promise<void>
  /** Instead of one whose time passes. */
  readonly standingClock?: TestClock
}

async function startWorker({
  files: failing = {},
  answered = Promise.resolve(),
  forgetEnded = async () => undefined,
  standingClock,
}: WorkerFaults = {}): Promise<TestWorker> {
  const dirs = spoolDirs(mkdtempSync(join(tmpdir(), 'market-agent-worker-')))
  makeSpoolDirs(hostFiles, dirs)
  const clock = new LiveClock()
  const files = { ...hostFiles, ...failing }
  const calls: string[] = []
  const reported: string[] = []
  const table = new RequestTable(() => 0)
  const worker = new SpoolWorker({
    dirs,
    table,
    fs: patientFs(files, clock),
    files,
    syncs: new SharedSyncs(hostFiles, clock),
    outboxEvents: { turnOn: () => undefined, turnOff: () => undefined },
    makeDirs: () => undefined,
    checkDirs: () => undefined,
    clock: standingClock ?? clock,
    journal: memoryJournal({ forgetEnded }),
    takeTurn: () => freeTurn,
    async answerCall(call: Call) {
      calls.push(String(call.id))
      await answered
      return { ok: true, dataText: 'null' }
    },
    onIgnored: (name, why) => reported.push(`${name}: ${why}`),
    onError: (where, error) => reported.push(`${where}: ${(error as NodeJS.ErrnoException).code}`),
    onRejected: (name, reason) => reported.push(`${name}: ${reason}`),
    onRecovered: (claim) => reported.push(`${claim}: recovered`),
    onFatal: (error) => reported.push(error.message),
  })
  await worker.start()
  return {
    worker,
    table,
    dirs,
    clock,
    calls,
    reported,
    async [Symbol.asyncDispose]() {
      await worker.stop()
      rmSync(dirs.root, { recursive: true, force: true })
    },
  }
}

/** Calls a function before each rename. */
function renaming(before: (names: { readonly from: string; readonly to: string }) => void): WorkerFaults {
  const renameSync: Files['renameSync'] = (from, to) => {
    before({ from: String(from), to: String(to) })
    hostFiles.renameSync(from, to)
  }
  return { files: { renameSync } }
}

function failure(code: string): Error {
  return Object.assign(new Error(code), { code })
}

const answered = ({ dirs }: TestWorker, id: string) => until(() => readFileSync(join(dirs.inbox, `${id}.json`), 'utf8'))

test('a file that turns out to be unfinished while the agent stops gets its name back', async () => {
  let stopped: Promise<void> | undefined
  const renameSync: Files['renameSync'] = (from, to) => {
    hostFiles.renameSync(from, to)
    if (String(to).includes('.claim-')) stopped ??= spool.worker.stop()
  }
  await using spool = await startWorker({ files: { renameSync } })
  writeFileSync(join(spool.dirs.outbox, 'slow.json'), '{"action":')
  await until(() => stopped !== undefined)
  await stopped
  expect(readdirSync(spool.dirs.outbox)).toEqual(['slow.json'])
})

/** Renames of which those of one file fail. */
const failingFor = (name: string, code: string, isFailing: () => boolean) =>
  renaming(({ from }) => {
    if (from.endsWith(name) && isFailing()) throw failure(code)
  })

/** As `until`, while the time of the worker passes. */
const untilLater = (spool: TestWorker, isReached: () => boolean) =>
  until(() => {
    spool.clock.advance(10)
    return isReached()
  })

test('a file that cannot be renamed is passed over for half a minute, stops nothing, and is answered once it can', async () => {
  let isImmutable = true
  await using spool = await startWorker(failingFor('stuck.json', 'EPERM', () => isImmutable))
  putRequest(spool.dirs.outbox, 'stuck', eligible)
  for (let n = 0; n < 20; n++) putRequest(spool.dirs.outbox, `ask-${n}`, eligible)
  for (let n = 0; n < 20; n++) await answered(spool, `ask-${n}`)
  await untilLater(spool, () => spool.reported.length > 0)
  expect(spool.reported).toEqual(['stuck.json: EPERM'])
  isImmutable = false
  spool.clock.advance(30_001)
  await answered(spool, 'stuck')
  expect(spool.calls.filter((id) => id === 'stuck')).toHaveLength(1)
})

test('later files go before a file that a scanner has open for longer than 75 ms', async () => {
  let isScanned = true
  await using spool = await startWorker(failingFor('scanned.json', 'EBUSY', () => isScanned))
  putRequest(spool.dirs.outbox, 'scanned', eligible)
  await until(() => spool.table.countClaimable(1) === 0)
  putRequest(spool.dirs.outbox, 'ask', eligible)
  await answered(spool, 'ask')
  isScanned = false
  await answered(spool, 'scanned')
  expect(spool.reported).toEqual([])
})

test.for([
  ['renameSync', 'EIO', 1],
  ['lstatSync', 'EIO', 1],
  ['renameSync', 'EBUSY', 4],
] as const)(
  'a file for which %s fails with %s keeps its position for %i failures',
  async ([call, code, failuresMax]) => {
    let failures = 0
    const failing = (path: unknown, ...more: unknown[]) => {
      const isClaimed = spool?.table.isActive('first') && !spool.calls.includes('first')
      if (isClaimed && failures < failuresMax) {
        failures++
        throw failure(code)
      }
      return (hostFiles[call] as (...all: unknown[]) => unknown)(path, ...more)
    }
    let spool: TestWorker | undefined
    await using started = await startWorker({ files: { [call]: failing } })
    spool = started
    putRequest(spool.dirs.outbox, 'first', eligible)
    putRequest(spool.dirs.outbox, 'second', eligible)
    for (const id of ['first', 'second']) await answered(spool, id)
    expect(failures).toBe(failuresMax)
    expect(spool.calls).toEqual(['first', 'second'])
  },
)

test('a claim whose rename was made, although it failed, is answered', async () => {
  let isFailing = true
  const renameSync: Files['renameSync'] = (from, to) => {
    hostFiles.renameSync(from, to)
    if (!isFailing) return
    isFailing = false
    throw failure('EIO')
  }
  await using spool = await startWorker({ files: { renameSync } })
  putRequest(spool.dirs.outbox, 'ask', eligible)
  await answered(spool, 'ask')
  expect(spool.calls).toEqual(['ask'])
})

test('an unread answer that its reader takes at the last moment delays nothing', async () => {
  await using spool = await startWorker(
    renaming(({ from }) => {
      if (dirname(from).endsWith('inbox')) rmSync(from)
    }),
  )
  putRequest(spool.dirs.outbox, 'daily', eligible)
  await answered(spool, 'daily')
  putRequest(spool.dirs.outbox, 'daily', eligible)
  await until(() => spool.calls.length === 2)
  await answered(spool, 'daily')
  expect(spool.reported).toEqual([])
})

test('an answer that cannot be shown at first is shown once, and no temporary file remains', async () => {
  const failing = ['.done', '.done', 'ask.json']
  await using spool = await startWorker(
    renaming(({ to }) => {
      if (failing[0] && to.endsWith(failing[0])) throw failure(failing.shift() === '.done' ? 'EIO' : 'ENOSPC')
    }),
  )
  putRequest(spool.dirs.outbox, 'ask', eligible)
  await until(() => spool.reported.length === 1)
  expect(readdirSync(spool.dirs.outbox)).toEqual(['ask.json.claim-test'])
  spool.clock.advance(1_000)
  await until(() => spool.reported.length === 2)
  spool.clock.advance(1_000)
  await until(() => spool.reported.length === 3)
  spool.clock.advance(1_000)
  await answered(spool, 'ask')
  expect(spool.calls).toEqual(['ask'])
  expect(readdirSync(spool.dirs.outbox)).toEqual([])
  expect(readdirSync(spool.dirs.inbox)).toEqual(['ask.json'])
})

test('names that differ only in case are answered one after another, because some file systems take them for one', async () => {
  const { promise, resolve: letGo } = Promise.withResolvers<void>()
  await using spool = await startWorker({ answered: promise })
  putRequest(spool.dirs.outbox, 'Ask', eligible)
  await until(() => spool.calls.length === 1)
  putRequest(spool.dirs.outbox, 'ask', eligible)
  putRequest(spool.dirs.outbox, 'other', eligible)
  await until(() => spool.calls.includes('other'))
  expect(spool.calls).toEqual(['Ask', 'other'])
  expect(readdirSync(spool.dirs.outbox)).toContain('ask.json')
  letGo()
  for (const id of ['Ask', 'ask', 'other']) await answered(spool, id)
  expect(spool.calls).toEqual(['Ask', 'other', 'ask'])
})

test('answers that cannot be written delay no calls up to a bound, and then come exactly once', async () => {
  let isFull = true
  await using spool = await startWorker(
    renaming(({ to }) => {
      if (isFull && to.endsWith('.done')) throw failure('ENOSPC')
    }),
  )
  const ids = Array.from({ length: 100 }, (_, n) => `ask-${n}`)
  for (const id of ids) putRequest(spool.dirs.outbox, id, eligible)
  const callsMax = 64 + limits.spoolInFlightMax
  await until(() => spool.calls.length === callsMax)
  await until(() => spool.reported.length >= 2 * callsMax)
  expect(spool.calls).toHaveLength(callsMax)
  isFull = false
  spool.clock.advance(1_000)
  for (const id of ids) await answered(spool, id)
  expect(spool.calls.toSorted()).toEqual(ids.toSorted())
})

test('a request whose old id the journal cannot forget, because its disk is full, is claimed and answered', async () => {
  const { promise, resolve: letGo } = Promise.withResolvers<void>()
  const forgetEnded = async () => {
    throw new StoreFullError('ENOSPC', undefined)
  }
  await using spool = await startWorker({ answered: promise, forgetEnded })
  putRequest(spool.dirs.outbox, 'daily', eligible)
  await until(() => spool.calls.length === 1)
  // After a crash this claim is taken for one of another journal, whose expired entries are not read.
  expect(readdirSync(spool.dirs.outbox)).toEqual(['daily.json.claim-test-full'])
  letGo()
  await answered(spool, 'daily')
  expect(spool.reported).toEqual([])
})

test('without file events the outbox is scanned every 200 ms', async () => {
  const standingClock = new TestClock()
  await using spool = await startWorker({ standingClock })
  for (const id of ['a', 'b']) {
    putRequest(spool.dirs.outbox, id, eligible)
    standingClock.advance(199)
    expect(standingClock.timersRunning).toBe(1)
    expect(readdirSync(spool.dirs.outbox)).toEqual([`${id}.json`])
    standingClock.advance(1)
    expect(standingClock.timersRunning, 'the scan has begun').toBe(0)
    await until(() => readdirSync(spool.dirs.inbox).includes(`${id}.json`) && standingClock.timersRunning === 1)
  }
})
