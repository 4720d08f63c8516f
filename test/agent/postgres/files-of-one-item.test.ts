import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { until } from '../../../scripts/until.ts'
import { spawnBridge } from '../fixtures/bridge-process.ts'
import { goodReply, type PlatformReply } from '../fixtures/fake-platform.ts'
import { putRequest } from '../fixtures/spool-fixture.ts'
import { type StoreProcess, StoreProcesses } from '../fixtures/store-processes.ts'
import { goodInputs } from '../fixtures/test-agent.ts'

const registration = { ...goodInputs['market.register'] }
const item = { itemRef: registration['itemRef'] }
const stock = (observedQuantity: number) => ({ action: 'market.adjust-stock', ...item, observedQuantity })
const put = ({ home }: StoreProcess, id: string, request: object) =>
  putRequest(join(home.spoolDir, 'outbox'), id, { id, ...request })
const answerTo = ({ home }: StoreProcess, id: string) =>
  until(() => JSON.parse(readFileSync(join(home.spoolDir, 'inbox', `${id}.json`), 'utf8')) as object)
/** Resolves when a file waits for an earlier call of its item. */
const oneWaits = ({ agent }: StoreProcess) =>
  until(async () => {
    const { calls } = (await (await fetch(`${await agent.listening}/status`)).json()) as { calls: { waiting: number } }
    return calls.waiting === 1
  })

/** The platform answers when the test says so. */
function heldPlatform({ platform }: StoreProcesses, count: number) {
  const replies = Array.from({ length: count }, () => Promise.withResolvers<PlatformReply>())
  let requests = 0
  platform.reply = (request) => replies[requests++]?.promise ?? goodReply(request)
  return replies
}

test('a registration in a file that waited for its item is sent once, although the agent is killed', async () => {
  await using hosts = await StoreProcesses.start()
  const a = await hosts.spawn('a')
  await a.agent.listening
  const [first] = heldPlatform(hosts, 2)
  put(a, 'f1', stock(5))
  await hosts.platform.arrived(1)
  put(a, 'f2', { action: 'market.register', ...registration })
  await oneWaits(a)
  first?.resolve({ status: 404, body: '{"message":"não existe"}' })
  await hosts.platform.arrived(2)
  await a.agent.kill()
  const env = { SERVICE_SPOOL_DIR: a.home.spoolDir, SERVICE_ORDERS_BY: 'asking', SERVICE_AGENT_NAME: 'a' }
  await using again = spawnBridge(a.home, { ...env, SERVICE_STORE_URL: hosts.urlAt(a.proxy.port) })
  await again.listening
  expect(await answerTo(a, 'f2')).toMatchObject({ ok: false, uncertain: true })
  expect(hosts.platform.requests.length).toBe(2)
})

test('a file that waited for its item is answered, and the agent lives on, when the store is away as its turn comes', async () => {
  await using hosts = await StoreProcesses.start()
  const a = await hosts.spawn('a')
  await a.agent.listening
  const [first] = heldPlatform(hosts, 1)
  put(a, 'f1', stock(5))
  await hosts.platform.arrived(1)
  put(a, 'f2', stock(4))
  await oneWaits(a)
  a.proxy.cut()
  await a.agent.printed('the store cannot be reached')
  first?.resolve({ status: 200, body: '' })
  expect(await answerTo(a, 'f2')).toMatchObject({ ok: false, code: 'STORE_UNREACHABLE' })
  a.proxy.heal()
  await a.agent.printed('the store is there again')
  await until(async () => (await a.agent.call('market.adjust-stock', { ...item, observedQuantity: 4 })).ok)
})
