import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { until } from '../../../scripts/until.ts'
import { agentHome, processPublicKey, spawnAgent } from '../fixtures/agent-process.ts'
import { FakePlatform } from '../fixtures/fake-platform.ts'
import { ScriptedPlatform } from '../fixtures/scripted-platform.ts'
import { goodBodies, goodInputs, startTestAgent } from '../fixtures/test-agent.ts'

test('an agent asks for the time at its start, and the answer does not prove that calls go through', async () => {
  await using platform = await FakePlatform.start(processPublicKey)
  using home = agentHome(platform.url)
  await using agent = spawnAgent(home, { env: { SERVICE_SPOOL_DIR: home.spoolDir } })
  await until(() => platform.questionsForDate === 1)
  const heartbeat = await until(() => JSON.parse(readFileSync(join(home.spoolDir, 'agent.json'), 'utf8')))
  expect(heartbeat).toMatchObject({ ready: false })
  expect(await agent.call('market.eligibility', goodInputs['market.eligibility'])).toMatchObject({ ok: true })
  expect(platform.questionsForDate).toBe(1)
})

test('the start waits for no answer about the time', async () => {
  await using platform = await ScriptedPlatform.start([{ fault: 'silence' }])
  platform.otherwise = { status: 200, body: goodBodies['market.eligibility'] ?? '' }
  using home = agentHome(platform.url)
  await using agent = spawnAgent(home)
  await platform.requests(1)
  expect(await agent.call('market.eligibility', goodInputs['market.eligibility'])).toMatchObject({ ok: true })
})

test('the first call is signed by the time that was learned', async () => {
  await using platform = await ScriptedPlatform.start()
  await using agent = await startTestAgent(platform.url)
  const platformMs = agent.clock.wallMs() + 86_400_000
  platform.otherwise = { status: 401, headers: { date: new Date(platformMs).toUTCString() } }
  await Promise.all([agent.learnPlatformClock(), agent.learnPlatformClock()])
  expect(platform.seen).toHaveLength(1)
  platform.otherwise = { status: 200, body: goodBodies['transaction.create'] ?? '' }
  expect(await agent.call('transaction.create', goodInputs['transaction.create'])).toMatchObject({ ok: true })
  expect(platform.seen[1]?.envelope.iat).toBe(Math.floor(platformMs / 1000))
})
