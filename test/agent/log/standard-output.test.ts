import { expect, test } from 'vitest'
import { agentProgram } from '../../programs/our-programs.ts'
import { logLinesOf, spawnUnread } from '../../programs/unread-program.ts'
import { agentHome, processPublicKey, spawnAgent } from '../fixtures/agent-process.ts'
import { FakePlatform } from '../fixtures/fake-platform.ts'

const eligibility = ['market.eligibility', { characterRef: 'char-1' }] as const

test('an agent whose log is no longer read continues and ends on SIGTERM with 0', async () => {
  await using platform = await FakePlatform.start(processPublicKey)
  using home = agentHome(platform.url)
  await using agent = spawnAgent(home)
  await agent.listening
  agent.closeOutput()
  expect(await agent.call(...eligibility)).toMatchObject({ ok: true })
  expect(await agent.stop()).toEqual({ code: 0, signal: null })
})

test('an agent whose log nobody reads continues, loses no line, and ends on SIGTERM with 0', async () => {
  using home = agentHome('http://127.0.0.1:9')
  await using agent = spawnUnread([...agentProgram(), 'run'], home.env)
  await expect.poll(() => agent.read()).toContain('"msg":"listening"')
  const url = logLinesOf(agent.read()).find(({ msg }) => msg === 'listening')?.['url']
  const answered = () => logLinesOf(agent.read()).filter(({ msg }) => msg === 'call answered')
  /** Two lines for each KiB. */
  const call = async (count: number) => {
    for (let n = 0; n < count; n++) {
      const body = JSON.stringify({ operation: 'market.eligibility', input: {}, id: `${n}`.padEnd(255, '-') })
      const headers = { 'content-type': 'application/json' }
      expect((await fetch(`${url}/call`, { method: 'POST', body, headers })).status).toBe(200)
    }
  }
  await call(300)
  await expect.poll(() => answered().length).toBe(300)
  await call(300)
  expect(await agent.signal('SIGTERM')).toBe(0)
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
