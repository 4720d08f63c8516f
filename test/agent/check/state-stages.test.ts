import { chmodSync, chownSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { networkFileSystem } from '../../../agent/check/dir-facts.ts'
import { judgeUser } from '../../../agent/check/run-checks.ts'
import { judgeOwner, judgeStateDir } from '../../../agent/check/state-stages.ts'
import { journalDatabase } from '../../../agent/journal/schema.ts'
import { agentHome, spawnAgent } from '../fixtures/agent-process.ts'
import { checkSetup } from '../fixtures/check-setup.ts'
import { hasSmallDisks, smallDisk } from '../fixtures/small-disk.ts'

const timeout = 120_000
const isRoot = process.getuid?.() === 0
const nobody = 65_534
const asNobody = isRoot ? ['setpriv', `--reuid=${nobody}`, `--regid=${nobody}`, '--clear-groups'] : []

test('nothing is left behind in the state directory, and nothing is made', { timeout }, async () => {
  using ready = checkSetup()
  const before = readdirSync(ready.dir)
  expect(
    await ready.faults({ SERVICE_SPOOL_DIR: ready.path('spool'), SERVICE_LOG_FILE: ready.path('agent.log') }),
  ).toEqual([])
  expect(readdirSync(ready.dir)).toEqual(before)
  expect(readdirSync(ready.path('state'))).toEqual([])
})

test('a state directory that is missing is made by the first start; a file in its place is wrong', {
  timeout,
}, async () => {
  using ready = checkSetup()
  rmSync(ready.path('state'), { recursive: true })
  expect(await ready.stages(['state-dir'])).toMatchObject([
    { ok: true, message: expect.stringContaining('the first start makes it') },
  ])
  writeFileSync(ready.path('state'), '')
  expect(await ready.faults()).toContainEqual({
    name: 'state-dir',
    ok: false,
    message: expect.stringContaining('a file is where a directory must be'),
    cure: 'move away that file, or name another directory',
  })
})

test('a state directory that the user may not write in is wrong', { timeout }, async () => {
  using ready = checkSetup()
  chmodSync(ready.path('state'), 0o500)
  if (isRoot) for (const name of ['', 'state', 'key.pem']) chownSync(ready.path(name), nobody, nobody)
  expect(await ready.faults({}, asNobody)).toMatchObject([
    {
      name: 'state-dir',
      message: expect.stringContaining('EACCES'),
      cure: expect.stringContaining('the right to write'),
    },
  ])
})

test.runIf(hasSmallDisks)('a full disk is wrong', { timeout }, async () => {
  using ready = checkSetup()
  using disk = await smallDisk(ready.path('state'))
  expect(await ready.faults({}, disk.wrapper)).toEqual([])
  disk.fill()
  expect(await ready.faults({}, disk.wrapper)).toMatchObject([
    { name: 'state-dir', message: expect.stringContaining('the disk is full (ENOSPC'), cure: 'free space on its disk' },
  ])
})

test('a disk without room for the first start is wrong; later the reserve is there already', () => {
  using ready = checkSetup()
  const facts = { at: 'there', stat: {} as never, freeBytes: 5_000_000, network: undefined } as const
  expect(judgeStateDir(ready.path('state'), facts, undefined)).toMatchObject({
    ok: false,
    cure: 'free space on its disk',
  })
  writeFileSync(ready.path('state', 'ballast'), '')
  expect(judgeStateDir(ready.path('state'), facts, undefined)).toMatchObject({ ok: true })
})

test('a network file system is wrong, whatever it is called', () => {
  for (const [type, path] of [
    [0x6969, '/srv'],
    [0xff534d42, '/srv'],
    [0, '\\\\server\\share'],
  ] as const) {
    const network = networkFileSystem(type, path)
    const facts = { at: 'there', stat: {} as never, freeBytes: 1e9, network } as const
    expect(judgeStateDir(path, facts, undefined)).toMatchObject({
      ok: false,
      cure: expect.stringContaining('of this host'),
    })
  }
  expect(networkFileSystem(0xef53, '/srv')).toBeUndefined()
})

test('a journal that is not a database, or is foreign or newer, is wrong, and its text says what to do', {
  timeout,
}, async () => {
  using ready = checkSetup()
  const journal = ready.path('state', 'journal.db')
  writeFileSync(journal, 'not a database'.repeat(50))
  expect(await ready.faults()).toMatchObject([{ name: 'journal', cure: journalDatabase.cureOfDamage() }])
  rmSync(journal)
  const withPragmas = (applicationId: number, version: number) => {
    using db = new DatabaseSync(journal)
    db.exec(
      `PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${version}; CREATE TABLE IF NOT EXISTS t (a)`,
    )
  }
  withPragmas(7, 1)
  expect(await ready.faults()).toMatchObject([
    { name: 'journal', message: expect.stringContaining("another program's") },
  ])
  withPragmas(journalDatabase.applicationId, journalDatabase.schemaVersion + 1)
  expect(await ready.faults()).toMatchObject([{ name: 'journal', cure: 'start that version again' }])
  withPragmas(journalDatabase.applicationId, 1)
  expect(await ready.stages(['journal'])).toMatchObject([
    { ok: true, message: expect.stringContaining('version 1; the next start makes') },
  ])
})

test('a state directory that another agent uses is wrong, and the agent continues', { timeout }, async () => {
  using ready = checkSetup()
  using home = agentHome('http://127.0.0.77:9')
  const env = { SERVICE_STATE_DIR: ready.path('state') }
  await using agent = spawnAgent(home, { env })
  const { port } = new URL(await agent.listening)
  const [owner] = await ready.stages(['state-owner'])
  // Where the system shows no locks, it is not known whether the named process still is the agent.
  expect(owner?.ok).not.toBe(true)
  expect(owner?.message).toContain(`process ${agent.pid}`)
  expect(await ready.stages(['state-owner', 'port'], { SERVICE_AGENT_PORT: port })).toMatchObject([
    { name: 'state-owner', ok: true, message: expect.stringContaining('that runs now') },
    { name: 'port', ok: true, message: expect.stringContaining('a market-agent listens there now') },
  ])
  const answer = await agent.call('orders.open', {})
  expect(answer).toMatchObject({ status: 503 })
  await agent.kill()
  expect(await ready.stages(['state-owner'])).toMatchObject([
    { ok: true, message: expect.stringContaining('is not in use') },
  ])
})

test('an agent of another game server at our port is wrong, and what is not visible is not guessed', () => {
  expect(judgeOwner('/s', { owner: undefined, isLocked: false }, 'market-agent 1.0.0')).toMatchObject({ ok: false })
  expect(judgeOwner('/s', { owner: 'process 1, since', isLocked: undefined }, undefined)).toMatchObject({ ok: null })
  expect(judgeOwner('/s', { owner: 'process 1, since', isLocked: undefined }, 'market-agent 1.0.0')).toMatchObject({
    ok: true,
  })
  expect(judgeOwner('/s', { owner: 'process 1, since', isLocked: true }, undefined)).toMatchObject({ ok: false })
})

test('root cannot say what the rights of the agent are', () => {
  expect(judgeUser(0, 0, '/s')).toMatchObject({ ok: true })
  expect(judgeUser(0, 998, '/s')).toMatchObject({ ok: null, cure: expect.stringContaining('runuser') })
})

test('a log directory that is missing or not a directory is wrong', { timeout }, async () => {
  using ready = checkSetup()
  expect(await ready.faults({ SERVICE_LOG_FILE: ready.path('gone', 'agent.log') })).toMatchObject([
    { name: 'log', message: expect.stringContaining('does not exist'), cure: expect.stringContaining('make ') },
  ])
  writeFileSync(ready.path('file'), '')
  expect(await ready.faults({ SERVICE_LOG_FILE: join(ready.path('file'), 'agent.log') })).toMatchObject([
    { name: 'log' },
  ])
  mkdirSync(ready.path('logs'))
  expect(await ready.faults({ SERVICE_LOG_FILE: ready.path('logs', 'agent.log') })).toEqual([])
})

test('a directory in the place of the log file is wrong', { timeout }, async () => {
  using ready = checkSetup()
  mkdirSync(ready.path('logs'))
  expect(await ready.faults({ SERVICE_LOG_FILE: ready.path('logs') })).toMatchObject([
    { name: 'log', message: expect.stringContaining('EISDIR') },
  ])
})

test('a link to a directory that does not exist is wrong', { timeout }, async () => {
  using ready = checkSetup()
  symlinkSync(ready.path('nowhere'), ready.path('link'))
  expect(await ready.faults({ SERVICE_STATE_DIR: ready.path('link') })).toMatchObject([
    { name: 'state-dir', message: expect.stringContaining('EEXIST') },
  ])
  expect(await ready.faults({ SERVICE_SPOOL_DIR: ready.path('link', 'spool') })).toMatchObject([
    { name: 'spool-dirs', message: expect.stringContaining('EEXIST') },
  ])
})

test('a name that is too long is wrong', { timeout }, async () => {
  using ready = checkSetup()
  const settings = { SERVICE_SPOOL_DIR: ready.path('n'.repeat(300)) }
  expect(await ready.faults(settings)).toMatchObject([
    { name: 'spool-dirs', message: expect.stringContaining('its name is too long') },
  ])
})

test('a log that is a device needs no right in its directory, because it is never rotated', { timeout }, async () => {
  using ready = checkSetup()
  if (isRoot) for (const name of ['', 'state', 'key.pem']) chownSync(ready.path(name), nobody, nobody)
  expect(await ready.faults({ SERVICE_LOG_FILE: '/dev/null' }, asNobody)).toEqual([])
})
