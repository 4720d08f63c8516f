import { expect, test } from 'vitest'
import { ScriptedPlatform } from '../fixtures/scripted-platform.ts'
import { goodBodies, goodInputs, startTestAgent } from '../fixtures/test-agent.ts'

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
