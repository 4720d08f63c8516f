import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { until } from '../../../scripts/until.ts'
import { agentHome, processPublicKey, spawnAgent } from '../fixtures/agent-process.ts'
import { FakePlatform, goodReply } from '../fixtures/fake-platform.ts'
import { eligible, namesIn, purchase, putRequest } from '../fixtures/spool-fixture.ts'

const withdrawal = { action: 'market.withdraw', itemRef: 'item-1' }

for (const shared of ['spool', 'state'] as const) {
  test(`a second agent at the same ${shared} ends with 3 and names the owner; the first continues`, async () => {
    await using platform = await FakePlatform.start(processPublicKey)
    using home = agentHome(platform.url)
    const other = join(home.dir, 'other')
    await using first = spawnAgent(home, { env: { SERVICE_SPOOL_DIR: home.spoolDir } })
    await first.listening
    const env =
      shared === 'spool'
        ? { SERVICE_SPOOL_DIR: home.spoolDir, SERVICE_STATE_DIR: other }
        : { SERVICE_SPOOL_DIR: other, SERVICE_STATE_DIR: home.stateDir }
    await using second = spawnAgent(home, { env })
    expect(await second.ended).toEqual({ code: 3, signal: null })
    const last = JSON.parse(second.output().trimEnd().split('\n').at(-1) ?? '')
    const dir = shared === 'spool' ? home.spoolDir : home.stateDir
    expect(last.msg).toContain(`${dir} is locked by another market-agent (process ${first.pid}, since `)
    putRequest(join(home.spoolDir, 'outbox'), 'ask-1', eligible)
    await until(() => readFileSync(join(home.spoolDir, 'inbox', 'ask-1.json')))
    expect(await first.stop()).toEqual({ code: 0, signal: null })
  })
}

test('spool and state are free at once after kill -9, and name no owner after a stop', async () => {
  await using platform = await FakePlatform.start(processPublicKey)
  using home = agentHome(platform.url)
  const env = { SERVICE_SPOOL_DIR: home.spoolDir }
  await using first = spawnAgent(home, { env })
  await first.listening
  await first.kill()
  await using second = spawnAgent(home, { env })
  await second.listening
  expect(await second.stop()).toEqual({ code: 0, signal: null })
  // The first heartbeat may not have been written yet.
  expect(namesIn(home.spoolDir).filter((name) => name !== 'agent.json')).toEqual(['inbox', 'outbox', 'owner.lock'])
})

test('a standby takes over as soon as the first is killed, and answers what that one had claimed', async () => {
  await using platform = await FakePlatform.start(processPublicKey)
  using home = agentHome(platform.url)
  const env = { SERVICE_SPOOL_DIR: home.spoolDir }
  const [outbox, inbox] = [join(home.spoolDir, 'outbox'), join(home.spoolDir, 'inbox')]
  platform.reply = () => new Promise<never>(() => undefined)
  await using first = spawnAgent(home, { env })
  await first.listening
  await using standby = spawnAgent(home, { env, args: ['--standby'] })
  await standby.printed('standing by')
  putRequest(outbox, 'buy-1', purchase)
  putRequest(outbox, 'withdraw-1', withdrawal)
  await platform.arrived(2)
  expect(standby.output()).not.toContain('"listening"')
  platform.reply = goodReply
  await first.kill()
  await standby.listening
  const answer = (id: string) =>
    until(() => JSON.parse(readFileSync(join(inbox, `${id}.json`), 'utf8')) as Record<string, unknown>)
  expect(await answer('buy-1')).toMatchObject({ ok: false, uncertain: true })
  expect(await answer('withdraw-1')).toEqual({ id: 'withdraw-1', ok: true })
  expect(platform.requests.filter(({ path }) => path.endsWith('/transactions'))).toHaveLength(1)
  expect(standby.output().match(/"msg":"standing by"/g)).toHaveLength(1)
  expect(await standby.stop()).toEqual({ code: 0, signal: null })
})

test('a standby with a memory of its own sends no purchase again that the first had claimed', async () => {
  await using platform = await FakePlatform.start(processPublicKey)
  using home = agentHome(platform.url)
  const [outbox, inbox] = [join(home.spoolDir, 'outbox'), join(home.spoolDir, 'inbox')]
  platform.reply = () => new Promise<never>(() => undefined)
  await using first = spawnAgent(home, { env: { SERVICE_SPOOL_DIR: home.spoolDir } })
  await first.listening
  const env = { SERVICE_SPOOL_DIR: home.spoolDir, SERVICE_STATE_DIR: join(home.dir, 'other') }
  await using standby = spawnAgent(home, { env, args: ['--standby'] })
  await standby.printed('standing by')
  putRequest(outbox, 'buy-1', purchase)
  await platform.arrived(1)
  platform.reply = goodReply
  await first.kill()
  const answer = await until(() => JSON.parse(readFileSync(join(inbox, 'buy-1.json'), 'utf8')))
  expect(answer).toMatchObject({ id: 'buy-1', ok: false, uncertain: true })
  expect(platform.requests).toHaveLength(1)
})

/** Another process's port, for as long as the test wants. */
async function takenPort() {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return { env: { SERVICE_AGENT_PORT: String(port) }, port, [Symbol.dispose]: () => void server.close() }
}
const portTaken = (port: number) => `"port":${port},"msg":"the port is taken; tried again for 3 s"`

for (const what of ['start', 'standby'] as const) {
  test(`a ${what} whose port is still closing after the former agent was killed waits for it`, async () => {
    using home = agentHome('http://127.0.0.1:9')
    await using first = spawnAgent(home)
    await first.listening
    // The system closes the sockets of a killed process after its locks. This port outlives it as long as the test wants.
    using taken = await takenPort()
    const standby = what === 'standby' ? spawnAgent(home, { env: taken.env, args: ['--standby'] }) : undefined
    await standby?.printed('standing by')
    await first.kill()
    await using next = standby ?? spawnAgent(home, { env: taken.env })
    await next.printed(portTaken(taken.port))
    taken[Symbol.dispose]()
    expect(await next.listening).toBe(`http://127.0.0.1:${taken.port}`)
    expect(await next.stop()).toEqual({ code: 0, signal: null })
  })
}

test('a port that another program has ends the start with 2 and its sentence after 3 s', async () => {
  using home = agentHome('http://127.0.0.1:9')
  using taken = await takenPort()
  await using agent = spawnAgent(home, { env: taken.env })
  expect(await agent.ended).toEqual({ code: 2, signal: null })
  expect(agent.output()).toContain(portTaken(taken.port))
  expect(agent.output()).toContain(`SERVICE_AGENT_PORT: port ${taken.port} on 127.0.0.1 cannot be opened (EADDRINUSE)`)
})

test('a standby that gets SIGTERM ends with 0', async () => {
  await using platform = await FakePlatform.start(processPublicKey)
  using home = agentHome(platform.url)
  await using first = spawnAgent(home)
  await first.listening
  await using standby = spawnAgent(home, { args: ['--standby'] })
  await standby.printed('standing by')
  expect(await standby.stop()).toEqual({ code: 0, signal: null })
  expect(await first.call('market.eligibility', { characterRef: 'char-1' })).toMatchObject({ ok: true })
})

test('a spool that cannot be used ends the start with 2 and says what to do', async () => {
  using home = agentHome('http://127.0.0.1:9')
  mkdirSync(join(home.spoolDir, 'outbox'), { recursive: true })
  const inbox = join(home.spoolDir, 'inbox')
  writeFileSync(inbox, 'not a directory')
  await using agent = spawnAgent(home, { env: { SERVICE_SPOOL_DIR: home.spoolDir } })
  expect(await agent.ended).toEqual({ code: 2, signal: null })
  expect(agent.output()).not.toMatch(/^\s+at /m)
  expect(agent.output()).toContain(inbox)
  rmSync(inbox)
})

test('what a killed agent left of its owner file is removed at the next start', async () => {
  using home = agentHome('http://127.0.0.1:9')
  mkdirSync(home.stateDir)
  for (const name of ['owner.json.1234567', 'owner.json.mine']) writeFileSync(join(home.stateDir, name), '')
  await using agent = spawnAgent(home)
  await agent.listening
  const names = namesIn(home.stateDir).filter((name) => name.startsWith('owner.json'))
  expect(names).toEqual(['owner.json', 'owner.json.mine'])
  expect(readFileSync(join(home.stateDir, 'owner.json'), 'utf8')).toContain(`process ${agent.pid}`)
})
