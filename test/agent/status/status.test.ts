import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Status } from '../../../agent/status/status.ts'
import manifest from '../../../package.json' with { type: 'json' }
import { order } from '../fixtures/events.ts'
import { goodReply } from '../fixtures/fake-platform.ts'
import { ScriptedPlatform } from '../fixtures/scripted-platform.ts'
import { startTestSpool } from '../fixtures/spool-fixture.ts'
import { goodBodies, goodInputs, startTestAgent, type TestAgent } from '../fixtures/test-agent.ts'
import { startTestBridge } from '../fixtures/test-bridge.ts'

const statusOf = async (agent: TestAgent) => (await (await fetch(`${agent.url}/status`)).json()) as Status

/** The status, as soon as it is as it is waited for. */
async function statusWhen(agent: TestAgent, isSo: (status: Status) => boolean): Promise<Status> {
  for (;;) {
    const status = await statusOf(agent)
    if (isSo(status)) return status
  }
}

test('GET /status has the documented shape, and no more', async () => {
  await using platform = await ScriptedPlatform.start()
  await using agent = await startTestAgent(platform.url)
  expect(await statusOf(agent)).toEqual({
    agent: `market-agent ${manifest.version}`,
    ready: false,
    reasons: [expect.stringContaining('no answer from the platform to a signed call yet: ')],
    startedAt: new Date(agent.clock.wallMs()).toISOString(),
    uptimeS: 0,
    platform: { host: new URL(platform.url).host, lastContactAt: null, clockOffsetMs: null },
    keys: { signing: { kid: 'game-server-1', fingerprint: expect.stringMatching(/^[\w-]{43}$/) }, platform: [] },
    calls: { inFlight: 0, waiting: 0, ok: 0, refused: 0, uncertain: 0 },
    journal: { entries: 0, writable: true },
    store: null,
    spool: null,
    orders: null,
  })
})

test('a proof of contact makes the agent ready, and each call is counted by its outcome', async () => {
  await using platform = await ScriptedPlatform.start()
  await using agent = await startTestAgent(platform.url)
  const headers = { date: new Date(agent.clock.wallMs() + 60_000).toUTCString() }
  platform.steps.push(
    { status: 200, headers, body: goodBodies['transaction.create'] ?? '' },
    { status: 409, body: '{"message":"Sem estoque."}' },
    { fault: 'reset' },
  )
  const contactMs = agent.clock.wallMs()
  const buy = (id: string) => agent.call('transaction.create', goodInputs['transaction.create'], id)
  await buy('buy-1')
  expect(await statusOf(agent)).toMatchObject({ ready: true, reasons: [] })
  await buy('buy-2')
  await buy('buy-3')
  await agent.call('transaction.create', {})
  expect(await statusOf(agent)).toMatchObject({
    platform: { lastContactAt: new Date(contactMs).toISOString(), clockOffsetMs: 60_000 },
    calls: { inFlight: 0, waiting: 0, ok: 1, refused: 2, uncertain: 1 },
    journal: { entries: 3, writable: true },
  })
})

test('a problem on the way to the platform is a reason with its cure and ends with the next proof', async () => {
  await using platform = await ScriptedPlatform.start([{ status: 404, body: '{"message":"Rota inexistente."}' }])
  platform.otherwise = { status: 200, body: goodBodies['market.eligibility'] ?? '' }
  await using agent = await startTestAgent(platform.url)
  await agent.call('market.eligibility', goodInputs['market.eligibility'])
  expect(await statusOf(agent)).toMatchObject({
    ready: false,
    reasons: [expect.stringMatching(/HTTP 404.*: set SERVICE_BASE_URL/)],
    platform: { lastContactAt: null },
  })
  await agent.call('market.eligibility', goodInputs['market.eligibility'])
  expect(await statusOf(agent)).toMatchObject({ ready: true, reasons: [] })
})

test('calls in flight are shown, and those that wait for their item', async () => {
  await using platform = await ScriptedPlatform.start()
  const { promise: after, resolve: letGo } = Promise.withResolvers<void>()
  platform.otherwise = { status: 200, after }
  await using agent = await startTestAgent(platform.url)
  const calls = [1, 2, 3].map((n) => agent.call('market.adjust-stock', { itemRef: 'one', observedQuantity: n }))
  await platform.requests(1)
  expect(await statusWhen(agent, ({ calls: { waiting } }) => waiting === 2)).toMatchObject({ calls: { inFlight: 3 } })
  letGo()
  await Promise.all(calls)
  expect(await statusOf(agent)).toMatchObject({ calls: { inFlight: 0, waiting: 0, ok: 3 } })
})

test('the spool shows its backlog, and how long its oldest request has waited, claimed or not', async () => {
  await using spool = await startTestSpool()
  const { promise: silence, resolve: letGo } = Promise.withResolvers<void>()
  spool.platform.reply = async (request) => {
    await silence
    return goodReply(request)
  }
  spool.put('wrong', '[]')
  await statusWhen(spool.agent, ({ spool }) => spool?.rejected === 1)
  for (let n = 0; n < 10; n++) spool.put(`ask-${n}`, { action: 'market.eligibility', characterRef: `c-${n}` })
  await statusWhen(spool.agent, ({ spool }) => spool?.inFlight === 8 && spool.backlog === 2)
  spool.clock.advance(3_000)
  const { spool: shown } = await statusOf(spool.agent)
  expect(shown).toMatchObject({ dir: spool.root, backlog: 2, inFlight: 8, rejected: 1 })
  expect(shown?.oldestAgeS).toBeGreaterThanOrEqual(3)
  letGo()
  for (let n = 0; n < 10; n++) await spool.answer(`ask-${n}`)
  await statusWhen(spool.agent, ({ spool }) => spool?.oldestAgeS === null)
})

test('what cannot become a request does not count as backlog: a directory, a link, a name that Windows reserves', async () => {
  await using spool = await startTestSpool()
  for (const name of ['a.json', 'b.json.rejected']) {
    mkdirSync(join(spool.outbox, name))
    symlinkSync(join(spool.root, 'agent.json'), join(spool.outbox, `link-${name}`))
  }
  writeFileSync(join(spool.outbox, 'con.json'), '{}')
  await spool.looked()
  expect(await statusOf(spool.agent)).toMatchObject({
    spool: { backlog: 0, inFlight: 0, rejected: 0, oldestAgeS: null },
  })
})

test('open orders are shown, how old the oldest is, and which are not taken', async () => {
  await using bridge = await startTestBridge()
  const sent = bridge.webhook(order)
  await statusWhen(bridge.agent, ({ orders }) => orders?.waiting === 1)
  bridge.clock.advance(5_000)
  const { orders, keys } = await statusOf(bridge.agent)
  expect(orders).toMatchObject({ open: 1, waiting: 1 })
  expect(orders?.oldestAgeS).toBeGreaterThanOrEqual(5)
  expect(keys.platform).toEqual([{ kid: expect.any(String), fingerprint: expect.stringMatching(/^[\w-]{43}$/) }])
  bridge.clock.advance(9_000)
  await sent
})

test('/status and /metrics want the token when there is one, and refuse a web page', async () => {
  await using platform = await ScriptedPlatform.start()
  await using agent = await startTestAgent(platform.url, { token: 'a-token-for-this-test' })
  for (const path of ['/status', '/metrics']) {
    const ask = async (headers: Record<string, string>) => (await fetch(`${agent.url}${path}`, { headers })).status
    expect(await ask({})).toBe(401)
    expect(await ask({ authorization: 'Bearer a-token-for-this-test' })).toBe(200)
    expect(await ask({ authorization: 'Bearer a-token-for-this-test', origin: 'https://evil.example' })).toBe(403)
  }
})
