import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { until } from '../../../scripts/until.ts'
import { agentHome, processPublicKey, spawnAgent } from '../fixtures/agent-process.ts'
import { FakePlatform } from '../fixtures/fake-platform.ts'
import { eligible, putRequest } from '../fixtures/spool-fixture.ts'
import { goodInputs } from '../fixtures/test-agent.ts'

const lastMessage = (output: string) => String(JSON.parse(output.trimEnd().split('\n').at(-1) ?? '').msg)

for (const [what, take] of [
  ['removed', (dir: string) => rmSync(dir, { recursive: true })],
  [
    'replaced',
    (dir: string) => {
      renameSync(dir, `${dir}.away`)
      mkdirSync(dir)
    },
  ],
] as const) {
  test(`a state directory that was ${what} ends the agent before it sends what no process would remember`, async () => {
    await using platform = await FakePlatform.start(processPublicKey)
    using home = agentHome(platform.url)
    await using agent = spawnAgent(home)
    await agent.listening
    take(home.stateDir)
    await expect(agent.call('transaction.create', goodInputs['transaction.create'], 'buy-1')).rejects.toThrow()
    expect(await agent.ended).toEqual({ code: 1, signal: null })
    expect(lastMessage(agent.output())).toMatch(
      /^stopped rather than guess: SERVICE_STATE_DIR: .*journal\.db was removed or replaced while the agent ran\. .*start the agent again/,
    )
    expect(platform.requests).toHaveLength(0)
  })
}

test('a state directory that was removed ends an agent without calls too', async () => {
  await using platform = await FakePlatform.start(processPublicKey)
  using home = agentHome(platform.url)
  await using agent = spawnAgent(home)
  await agent.listening
  rmSync(home.stateDir, { recursive: true })
  expect(await agent.ended).toEqual({ code: 1, signal: null })
  expect(lastMessage(agent.output())).toContain('journal.db was removed or replaced while the agent ran')
})

test('a spool that was removed ends the agent, which makes no new one for itself', async () => {
  await using platform = await FakePlatform.start(processPublicKey)
  using home = agentHome(platform.url)
  await using agent = spawnAgent(home, { env: { SERVICE_SPOOL_DIR: home.spoolDir } })
  await agent.listening
  rmSync(home.spoolDir, { recursive: true })
  expect(await agent.ended).toEqual({ code: 1, signal: null })
  expect(lastMessage(agent.output())).toBe(
    `stopped rather than guess: SERVICE_SPOOL_DIR: ${home.spoolDir} was removed or replaced while the agent ran. Start the agent again: it makes what is missing`,
  )
  expect(existsSync(home.spoolDir)).toBe(false)
})

test('a spool that was moved away is left to the agent that owns the one in its place', async () => {
  await using platform = await FakePlatform.start(processPublicKey)
  using home = agentHome(platform.url)
  const env = { SERVICE_SPOOL_DIR: home.spoolDir }
  await using first = spawnAgent(home, { env })
  await first.listening
  // In one step, so that it never misses its outbox.
  const next = join(home.dir, 'next')
  for (const name of ['outbox', 'inbox']) mkdirSync(join(next, name), { recursive: true })
  process.kill(first.pid, 'SIGSTOP')
  renameSync(home.spoolDir, `${home.spoolDir}.away`)
  renameSync(next, home.spoolDir)
  await using second = spawnAgent(home, { env: { ...env, SERVICE_STATE_DIR: join(home.dir, 'other') } })
  await second.listening
  process.kill(first.pid, 'SIGCONT')
  expect(await first.ended).toEqual({ code: 1, signal: null })
  putRequest(join(home.spoolDir, 'outbox'), 'ask-1', eligible)
  const answer = await until(() => readFileSync(join(home.spoolDir, 'inbox', 'ask-1.json'), 'utf8'))
  expect(JSON.parse(answer)).toMatchObject({ ok: true })
  // The first did not take the second's name away.
  expect(readFileSync(join(home.spoolDir, 'owner.json'), 'utf8')).toContain(`process ${second.pid}`)
})
