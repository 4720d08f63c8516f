import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import manifest from '../../../package.json' with { type: 'json' }
import { until } from '../../../scripts/until.ts'
import { goodReply } from '../fixtures/fake-platform.ts'
import { claimOf, eligible, namesIn, purchase, startTestSpool, type TestSpool } from '../fixtures/spool-fixture.ts'

const hourMs = 3_600_000
const heartbeat = (spool: TestSpool) => JSON.parse(readFileSync(join(spool.root, 'agent.json'), 'utf8'))

test('agent.json says who runs, when, and whether calls go through', async () => {
  await using spool = await startTestSpool()
  expect(await until(() => heartbeat(spool))).toEqual({
    agent: `market-agent ${manifest.version}`,
    at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    ready: false,
    reasons: [expect.stringContaining('no answer from the platform to a signed call yet: ')],
    events: [],
  })
  spool.put('ask-1', eligible)
  await spool.answer('ask-1')
  spool.clock.advance(5_000)
  await until(() => heartbeat(spool).ready === true)
  expect(heartbeat(spool).reasons).toEqual([])
})

test('agent.json is rewritten every 5 s, whole each time', async () => {
  await using spool = await startTestSpool()
  let before = (await until(() => heartbeat(spool))).at
  for (let beat = 1; beat <= 5; beat++) {
    spool.clock.advance(5_000)
    const now = await until(() => heartbeat(spool).at !== before && heartbeat(spool).at)
    const betweenMs = Date.parse(now) - Date.parse(before)
    expect(betweenMs).toBeGreaterThanOrEqual(4_900)
    before = now
  }
  const names = namesIn(spool.root).filter((name) => !name.startsWith('owner.'))
  expect(names).toEqual(['agent.json', 'inbox', 'outbox'])
})

test('agent.json comes back after a time in which it could not be written', async () => {
  await using spool = await startTestSpool()
  await until(() => heartbeat(spool))
  rmSync(join(spool.root, 'agent.json'))
  mkdirSync(join(spool.root, 'agent.json'))
  spool.clock.advance(5_000)
  await until(() => spool.logText().includes('"where":"agent.json"'))
  rmSync(join(spool.root, 'agent.json'), { recursive: true })
  await until(() => spool.clock.advance(5_000) ?? heartbeat(spool))
  spool.put('ask-1', eligible)
  expect(await spool.take('ask-1')).toMatchObject({ ok: true })
})

test('a stopped agent says so in agent.json, and logs no warning', async () => {
  await using spool = await startTestSpool()
  spool.put('ask-1', eligible)
  await spool.answer('ask-1')
  const { logFile } = spool.agent
  await spool.stop()
  expect(heartbeat(spool)).toMatchObject({ ready: false, reasons: ['the agent was stopped'] })
  expect(readFileSync(logFile, 'utf8')).not.toMatch(/"level":"(?:warn|error)"/)
})

test('rejected requests and unread answers go after 24 h, and nothing else does', async () => {
  await using spool = await startTestSpool()
  const kept = ['foreign.rejected', 'dir.json.rejected/']
  mkdirSync(join(spool.outbox, 'dir.json.rejected'))
  writeFileSync(join(spool.outbox, 'foreign.rejected'), '')
  spool.put('bad', '[]')
  await spool.take('bad')
  for (const round of [1, 2, 3]) {
    spool.put('daily', { ...eligible, round })
    await until(() => namesIn(spool.inbox).filter((name) => name.startsWith('daily')).length === round)
    spool.clock.advance(600_001)
  }
  await until(() => namesIn(spool.inbox).includes('daily.json'))
  // Somebody sets the wall clock. No window ends earlier for that.
  spool.clock.wallOffsetMs += 365 * 24 * hourMs
  const unread = ['daily.json', 'daily.json.unread', expect.stringMatching(/^daily\.json\.unread\.\d+$/)]
  for (let hour = 1; hour <= 22; hour++) {
    spool.clock.advance(hourMs)
    await spool.looked()
  }
  expect(namesIn(spool.inbox)).toEqual(unread)
  expect(namesIn(spool.outbox)).toContain('bad.json.rejected')
  for (let hour = 23; hour <= 26; hour++) {
    spool.clock.advance(hourMs)
    await spool.looked()
  }
  await until(() => namesIn(spool.inbox).length === 1)
  expect(namesIn(spool.inbox)).toEqual(['daily.json'])
  expect(namesIn(spool.outbox)).toEqual(kept.map((name) => name.replace('/', '')).sort())
})

test('a stopped agent has finished what it claimed, and leaves what it has not claimed', async () => {
  await using spool = await startTestSpool()
  const { promise: stopping, resolve: letGo } = Promise.withResolvers<void>()
  spool.platform.reply = async (request) => {
    await stopping
    return goodReply(request)
  }
  for (let n = 10; n < 30; n++) spool.put(`buy-${n}`, { ...purchase, itemRef: `item-${n}` })
  await spool.platform.arrived(8)
  await until(() => namesIn(spool.outbox).filter((name) => claimOf('buy-..').test(name)).length === 8)
  const unclaimed = namesIn(spool.outbox).filter((name) => name.endsWith('.json'))
  const stopped = spool.stop()
  letGo()
  await stopped
  expect(spool.platform.requests).toHaveLength(8)
  expect(namesIn(spool.inbox)).toHaveLength(8)
  expect(namesIn(spool.outbox)).toEqual(unclaimed)
  expect(namesIn(spool.root)).toEqual(['agent.json', 'inbox', 'outbox', 'owner.lock'])
  await spool.start()
  for (let n = 10; n < 30; n++) expect(await spool.take(`buy-${n}`)).toMatchObject({ ok: true })
  expect(spool.platform.requests).toHaveLength(20)
})

test('nothing is written outside the spool and the state', async () => {
  await using spool = await startTestSpool()
  spool.put('buy-1', purchase)
  spool.put('bad-1', '[]')
  await Promise.all([spool.take('buy-1'), spool.take('bad-1')])
  await spool.stop()
  expect(namesIn(join(spool.root, '..'))).toEqual(['spool', 'state'])
  expect(namesIn(spool.stateDir).filter((name) => !name.startsWith('journal.db'))).toEqual(['ballast', 'owner.lock'])
})
