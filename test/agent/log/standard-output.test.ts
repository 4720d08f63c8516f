import { expect, test } from 'vitest'
import { agentHome, processPublicKey, spawnAgent } from '../fixtures/agent-process.ts'
import { FakePlatform } from '../fixtures/fake-platform.ts'

const eligibility = ['market.eligibility', { characterRef: 'char-1' }] as const

test('an agent whose log is no longer read goes on, and ends on SIGTERM with 0', async () => {
  await using platform = await FakePlatform.start(processPublicKey)
  using home = agentHome(platform.url)
  await using agent = spawnAgent(home)
  await agent.listening
  agent.closeOutput()
  expect(await agent.call(...eligibility)).toMatchObject({ ok: true })
  expect(await agent.stop()).toEqual({ code: 0, signal: null })
})

test('an agent whose log reader goes away just before SIGTERM ends with 0', async () => {
  using home = agentHome('http://127.0.0.1:9')
  await using agent = spawnAgent(home)
  await agent.listening
  agent.closeOutput()
  expect(await agent.stop()).toEqual({ code: 0, signal: null })
})

test('an agent whose log is not read ends with its exit code when it cannot start', async () => {
  using home = agentHome('http://127.0.0.1:9')
  await using first = spawnAgent(home)
  await first.listening
  await using second = spawnAgent(home)
  second.closeOutput()
  expect(await second.ended).toEqual({ code: 3, signal: null })
})

test('a log line is written although nothing follows it, so that SIGKILL cannot lose it', async () => {
  await using platform = await FakePlatform.start(processPublicKey)
  using home = agentHome(platform.url)
  await using agent = spawnAgent(home)
  await agent.call(...eligibility)
  await agent.printed('"msg":"call answered"')
  await agent.kill()
})
