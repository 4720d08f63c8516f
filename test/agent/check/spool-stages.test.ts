import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { spoolChecks } from '../../../agent/check/spool-stages.ts'
import { spoolDirs } from '../../../agent/spool/spool-dirs.ts'
import { checkSetup } from '../fixtures/check-setup.ts'
import { hasSmallDisks, smallDisk } from '../fixtures/small-disk.ts'

const timeout = 120_000
const isRoot = process.getuid?.() === 0

function setup() {
  const ready = checkSetup()
  for (const name of ['spool', 'spool/outbox', 'spool/inbox']) mkdirSync(ready.path(name), { mode: 0o755 })
  return { ...ready, spool: { SERVICE_SPOOL_DIR: ready.path('spool') } }
}

const names = ['spool-dirs', 'spool-group', 'spool-links', 'spool-disk'] as const

test('a good spool passes all its stages, and nothing is left in it', { timeout }, async () => {
  using ready = setup()
  const checks = await ready.stages(names, ready.spool)
  expect(checks.map(({ name, ok }) => [name, ok])).toEqual(names.map((name) => [name, true]))
  expect([readdirSync(ready.path('spool', 'outbox')), readdirSync(ready.path('spool', 'inbox'))]).toEqual([[], []])
})

test('a spool that does not exist yet is not wrong, and what needs it says so', { timeout }, async () => {
  using ready = checkSetup()
  const checks = await ready.stages(names, { SERVICE_SPOOL_DIR: ready.path('new') })
  expect(checks.map(({ ok }) => ok)).toEqual([true, null, null, null])
})

test.runIf(isRoot && existsSync('/sys/kernel'))(
  'a directory in which nothing can be made is wrong, although root may write there',
  { timeout },
  async () => {
    using ready = checkSetup()
    for (const path of ['/sys', '/sys/spool', '/proc/spool'])
      expect(await ready.faults({ SERVICE_SPOOL_DIR: path }), path).toMatchObject([{ name: 'spool-dirs' }])
    expect(await ready.faults({ SERVICE_STATE_DIR: '/sys/state' })).toMatchObject([{ name: 'state-dir' }])
    expect(await ready.faults({ SERVICE_LOG_FILE: '/sys/agent.log' })).toMatchObject([{ name: 'log' }])
  },
)

test('what check tries in the place of a directory that is missing leaves nothing behind', { timeout }, async () => {
  using ready = checkSetup()
  const before = readdirSync(ready.dir)
  const paths = { SERVICE_SPOOL_DIR: ready.path('new'), SERVICE_LOG_FILE: ready.path('agent.log') }
  expect(await ready.faults(paths)).toEqual([])
  expect(readdirSync(ready.dir)).toEqual(before)
})

test('a file or a link in the place of a directory is wrong', { timeout }, async () => {
  using ready = checkSetup()
  mkdirSync(ready.path('spool'))
  mkdirSync(ready.path('elsewhere'))
  symlinkSync(ready.path('elsewhere'), ready.path('spool', 'inbox'))
  mkdirSync(ready.path('spool', 'outbox'))
  const spool = { SERVICE_SPOOL_DIR: ready.path('spool') }
  expect(await ready.faults(spool)).toMatchObject([
    { name: 'spool-dirs', cure: 'put a directory in the place of the link' },
  ])
  writeFileSync(ready.path('file'), '')
  expect(await ready.faults({ SERVICE_SPOOL_DIR: ready.path('file') })).toMatchObject([{ name: 'spool-dirs' }])
})

test.runIf(hasSmallDisks)('outbox and inbox on two file systems are wrong', { timeout }, async () => {
  using ready = setup()
  using disk = await smallDisk(ready.path('spool', 'inbox'))
  expect(await ready.faults(ready.spool, disk.wrapper)).toMatchObject([
    { name: 'spool-dirs', message: expect.stringContaining('EXDEV'), cure: 'put outbox and inbox on one file system' },
  ])
})

test('a path that looks like the end of a sentence stays whole in what is wrong with its rights', {
  timeout,
}, async () => {
  using ready = checkSetup()
  mkdirSync(ready.path('my. dir: x'))
  chmodSync(ready.path('my. dir: x'), 0o777)
  expect(await ready.faults({ SERVICE_SPOOL_DIR: ready.path('my. dir: x') })).toMatchObject([
    {
      name: 'spool-group',
      message: expect.stringContaining(`others may write in ${ready.path('my. dir: x')} and put`),
      cure: `run: chmod go-w '${ready.path('my. dir: x')}'`,
    },
  ])
})

test('a directory that others may replace is wrong, with the command that corrects it', { timeout }, async () => {
  using ready = setup()
  chmodSync(ready.path('spool'), 0o777)
  expect(await ready.faults(ready.spool)).toMatchObject([
    { name: 'spool-group', cure: `run: chmod go-w ${ready.path('spool')}` },
  ])
})

test.runIf(isRoot)('a group that may not write in the directories is wrong', { timeout }, async () => {
  using ready = setup()
  chownSync(ready.path('spool'), 0, 12_345)
  chmodSync(ready.path('spool'), 0o2750)
  const faults = await ready.faults(ready.spool)
  expect(faults).toMatchObject([{ name: 'spool-group', cure: expect.stringContaining('chmod g+rwxs') }])
})

test('a file system without hard links, and one over the network, are wrong', () => {
  const there = { at: 'there', stat: {} as never, freeBytes: 1, network: undefined } as const
  const dirs = spoolDirs('/s')
  const parts = [dirs.outbox, dirs.inbox].map((path) => ({ path, facts: there }))
  const good = { root: there, dirs: parts, renameError: undefined, linkError: undefined, rights: [] }
  const wrongIn = (facts: object) =>
    spoolChecks(dirs, { ...good, ...facts })
      .filter(({ ok }) => ok === false)
      .map(({ name }) => name)
  expect(wrongIn({})).toEqual([])
  expect(wrongIn({ linkError: Object.assign(new Error('no'), { code: 'EPERM' }) })).toEqual(['spool-links'])
  expect(wrongIn({ root: { ...there, network: 'NFS' } })).toEqual(['spool-disk'])
})
