import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { rename, unlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Call } from '../../../agent/call/call.ts'
import { freeTurn } from '../../../agent/call/turn.ts'
import type { PatientFs } from '../../../agent/spool/patient-fs.ts'
import { SharedSyncs } from '../../../agent/spool/shared-syncs.ts'
import { makeSpoolDirs, type SpoolDirs, spoolDirs } from '../../../agent/spool/spool-dirs.ts'
import { SpoolWorker } from '../../../agent/spool/spool-worker.ts'
import { LiveClock } from '../fixtures/live-clock.ts'
import { eligible, eventually, putRequest } from '../fixtures/spool-fixture.ts'

/** The worker alone, over real files, with renames and unlinks that a test can make fail. */
interface TestWorker extends AsyncDisposable {
  readonly worker: SpoolWorker
  readonly dirs: SpoolDirs
  readonly clock: LiveClock
  readonly calls: string[]
  /** What a person was told of. */
  readonly told: string[]
}

async function startWorker(
  fault: (dirs: SpoolDirs) => Partial<PatientFs> = () => ({}),
  { isCaseInsensitive = false, answered = Promise.resolve() } = {},
): Promise<TestWorker> {
  const dirs = spoolDirs(mkdtempSync(join(tmpdir(), 'market-agent-worker-')))
  makeSpoolDirs(dirs)
  const clock = new LiveClock()
  const calls: string[] = []
  const told: string[] = []
  const worker = new SpoolWorker({
    dirs,
    fs: { rename, unlink, ...fault(dirs) },
    syncs: new SharedSyncs(clock),
    earlyWaking: { listen: () => undefined, rest: () => undefined },
    assertOwned: () => undefined,
    clock,
    owner: 'test',
    unanswered: new Set(),
    isCaseInsensitive: () => isCaseInsensitive,
    takeTurn: () => freeTurn,
    async answerCall(call: Call) {
      calls.push(String(call.id))
      await answered
      return { ok: true, dataText: 'null' }
    },
    async forgetEnded() {
      // Nothing is remembered here.
    },
    events: {
      leftAlone: (name, why) => told.push(`${name}: ${why}`),
      troubled: (where, error) => told.push(`${where}: ${(error as NodeJS.ErrnoException).code}`),
      recovered: (what) => told.push(`${what}: recovered`),
      broke: (error) => told.push(error.message),
    },
  })
  await worker.start()
  return {
    worker,
    dirs,
    clock,
    calls,
    told,
    async [Symbol.asyncDispose]() {
      await worker.stop()
      rmSync(dirs.root, { recursive: true, force: true })
    },
  }
}

function failure(code: string): Error {
  return Object.assign(new Error(code), { code })
}

const answered = ({ dirs }: TestWorker, id: string) =>
  eventually(() => readFileSync(join(dirs.inbox, `${id}.json`), 'utf8'))

test('a file that turns out to be unfinished while the agent stops gets its name back', async () => {
  let stopped: Promise<void> | undefined
  await using spool = await startWorker(() => ({
    async rename(from, to) {
      await rename(from, to)
      if (to.includes('.claim-')) stopped ??= spool.worker.stop()
    },
  }))
  writeFileSync(join(spool.dirs.outbox, 'slow.json'), '{"action":')
  await eventually(() => stopped)
  await stopped
  expect(readdirSync(spool.dirs.outbox)).toEqual(['slow.json'])
})

test('a file that cannot be renamed is left for half a minute, stops nothing, and is answered once it can', async () => {
  let isImmutable = true
  await using spool = await startWorker(() => ({
    async rename(from, to) {
      if (isImmutable && from.endsWith('stuck.json')) throw failure('EPERM')
      await rename(from, to)
    },
  }))
  putRequest(spool.dirs.outbox, 'stuck', eligible)
  for (let n = 0; n < 20; n++) putRequest(spool.dirs.outbox, `ask-${n}`, eligible)
  for (let n = 0; n < 20; n++) await answered(spool, `ask-${n}`)
  expect(spool.told).toEqual(['stuck.json: EPERM'])
  isImmutable = false
  spool.clock.advance(30_001)
  await answered(spool, 'stuck')
  expect(spool.calls.filter((id) => id === 'stuck')).toHaveLength(1)
})

test('a rename that is held for a moment holds up nobody else', async () => {
  const { promise: held, resolve: letGo } = Promise.withResolvers<void>()
  await using spool = await startWorker(() => ({
    async rename(from, to, told) {
      if (from.endsWith('scanned.json')) {
        told?.()
        await held
      }
      await rename(from, to)
    },
  }))
  putRequest(spool.dirs.outbox, 'scanned', eligible)
  await eventually(() => spool.worker.backlog === 0)
  putRequest(spool.dirs.outbox, 'ask', eligible)
  await answered(spool, 'ask')
  letGo()
  await answered(spool, 'scanned')
})

test('an unread answer that its reader takes at the last moment delays nothing', async () => {
  await using spool = await startWorker(({ inbox }) => ({
    async unlink(path) {
      if (path.startsWith(inbox)) rmSync(path)
      await unlink(path)
    },
  }))
  putRequest(spool.dirs.outbox, 'daily', eligible)
  await answered(spool, 'daily')
  putRequest(spool.dirs.outbox, 'daily', eligible)
  await eventually(() => spool.calls.length === 2)
  await answered(spool, 'daily')
  expect(spool.told).toEqual([])
})

test('an answer that cannot be shown at first is shown once, and nothing temporary is left', async () => {
  const failing = ['.done', '.done', 'ask.json']
  await using spool = await startWorker(() => ({
    async rename(from, to) {
      if (failing[0] && to.endsWith(failing[0])) throw failure(failing.shift() === '.done' ? 'EIO' : 'ENOSPC')
      await rename(from, to)
    },
  }))
  putRequest(spool.dirs.outbox, 'ask', eligible)
  await eventually(() => spool.told.length === 1)
  expect(readdirSync(spool.dirs.outbox)).toEqual(['ask.json.claim-test'])
  spool.clock.advance(1_000)
  await eventually(() => spool.told.length === 2)
  spool.clock.advance(1_000)
  await eventually(() => spool.told.length === 3)
  spool.clock.advance(1_000)
  await answered(spool, 'ask')
  expect(spool.calls).toEqual(['ask'])
  expect(readdirSync(spool.dirs.outbox)).toEqual([])
  expect(readdirSync(spool.dirs.inbox)).toEqual(['ask.json'])
})

for (const [what, isCaseInsensitive] of [
  ['one id', true],
  ['two ids', false],
] as const) {
  test(`names that differ in case alone are ${what} where the file system says so`, async () => {
    const { promise, resolve: letGo } = Promise.withResolvers<void>()
    await using spool = await startWorker(() => ({}), { isCaseInsensitive, answered: promise })
    putRequest(spool.dirs.outbox, 'Ask', eligible)
    await eventually(() => spool.calls.length === 1)
    putRequest(spool.dirs.outbox, 'ask', eligible)
    putRequest(spool.dirs.outbox, 'other', eligible)
    await eventually(() => spool.calls.includes('other'))
    expect(spool.calls).toEqual(isCaseInsensitive ? ['Ask', 'other'] : ['Ask', 'ask', 'other'])
    expect(readdirSync(spool.dirs.outbox).includes('ask.json')).toBe(isCaseInsensitive)
    letGo()
    for (const id of ['Ask', 'ask', 'other']) await answered(spool, id)
    expect(spool.calls.toSorted()).toEqual(['Ask', 'ask', 'other'])
  })
}
