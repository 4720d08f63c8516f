import { expect, test } from 'vitest'
import { ScriptedPlatform } from '../fixtures/scripted-platform.ts'
import { goodBodies, goodInputs, startTestAgent } from '../fixtures/test-agent.ts'
import { startTestBridge, type TestBridgeOptions } from '../fixtures/test-bridge.ts'

test('each call leaves one line with everything that was decided on the way', async () => {
  await using platform = await ScriptedPlatform.start([{ status: 503 }])
  platform.otherwise = { status: 200, body: goodBodies['market.eligibility'] ?? '' }
  await using agent = await startTestAgent(platform.url)
  await agent.call('market.eligibility', goodInputs['market.eligibility'], 'e-1')
  await agent.call('market.eligibility', goodInputs['market.eligibility'], 'e-1')
  await agent.call('market.eligibility', {})
  const calls = agent.logLines().filter(({ msg }) => msg === 'call answered')
  expect(calls).toMatchObject([
    {
      operation: 'market.eligibility',
      id: 'e-1',
      outcome: 'ok',
      source: 'platform',
      attempts: 2,
      retryDelaysMs: [100],
      fault: 'unavailable',
      cause: 'HTTP 503',
      durationMs: 100,
    },
    { operation: 'market.eligibility', id: 'e-1', outcome: 'ok', source: 'stored', attempts: 0 },
    { operation: 'market.eligibility', outcome: 'refused', source: 'agent', status: 400, attempts: 0 },
  ])
})

test('the line of a call names its transaction, and no other field that a caller sent', async () => {
  await using platform = await ScriptedPlatform.start([])
  platform.otherwise = { status: 200, body: goodBodies['transaction.get'] ?? '' }
  await using agent = await startTestAgent(platform.url)
  await agent.call('transaction.get', { transactionId: 42 })
  await agent.call('transaction.get', { transactionId: 'a text of the caller' })
  const calls = agent.logLines().filter(({ msg }) => msg === 'call answered')
  expect(calls.map(({ transactionId }) => transactionId)).toEqual([42, undefined])
})

test('a game server that asks for its orders every second does not fill the log', async () => {
  await using bridge = await startTestBridge()
  await bridge.agent.call('orders.open', {})
  await bridge.agent.call('orders.take', { transactionId: 1, observedQuantity: 1 })
  const calls = bridge.agent.logLines().filter(({ msg }) => msg === 'call answered')
  expect(calls).toMatchObject([
    { operation: 'orders.open', level: 'debug' },
    { operation: 'orders.take', level: 'info', outcome: 'refused' },
  ])
})

test('the line of the bridge says how the game server gets its orders', async () => {
  const lineOf = async (options: TestBridgeOptions) => {
    await using bridge = await startTestBridge(options)
    const line = bridge.agent.logLines().find(({ msg }) => msg === 'listening for webhooks')
    return [line?.['url'] === bridge.agent.webhookUrl, String(line?.['handover']).replace(bridge.spoolDir, '<spool>')]
  }
  expect(await lineOf({})).toEqual([true, 'the game server asks with orders.open'])
  expect(await lineOf({ withSpool: true })).toEqual([true, 'files in <spool>/events'])
  expect(await lineOf({ forwardUrl: 'http://127.0.0.1:9/x?token=1', withSpool: true })).toEqual([
    true,
    'posted to http://127.0.0.1:9',
  ])
})

test('the first line names version, platform, kid and key fingerprint', async () => {
  await using agent = await startTestAgent('http://127.0.0.1:9')
  expect(agent.logLines()[0]).toMatchObject({
    msg: 'starting',
    version: expect.any(String),
    platform: '127.0.0.1:9',
    kid: 'game-server-1',
    keyFingerprint: expect.stringMatching(/^[\w-]{43}$/),
  })
})
