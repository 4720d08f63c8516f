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

/**
 * An agent with two files of one item: a stock of 5, whose answer the test gives, and a request that waits for it.
 *
 * @param then What the platform does with the request that waits.
 */
async function twoFiles(request: object, then: 'answers' | 'is-silent') {
  await using opened = new AsyncDisposableStack()
  const hosts = opened.use(await StoreProcesses.start())
  const { platform } = hosts
  const reply = Promise.withResolvers<PlatformReply>()
  const silence = Promise.withResolvers<PlatformReply>()
  const held = then === 'answers' ? [reply] : [reply, silence]
  platform.reply = (given) => held.shift()?.promise ?? goodReply(given)
  const a = await hosts.spawn('a')
  await a.agent.listening
  put(a, 'first', stock(5))
  await platform.arrived(1)
  put(a, 'waiting', request)
  await oneWaits(a)
  const running = opened.move()
  return { ...{ hosts, platform, a, reply }, [Symbol.asyncDispose]: () => running.disposeAsync() }
}

test('a registration in a file that waited for its item is sent once, although the agent is killed', async () => {
  await using files = await twoFiles({ action: 'market.register', ...registration }, 'is-silent')
  const { hosts, platform, a, reply } = files
  reply.resolve({ status: 404, body: '{"message":"não existe"}' })
  await platform.arrived(2)
  await a.agent.kill()
  const env = { SERVICE_SPOOL_DIR: a.home.spoolDir, SERVICE_ORDERS_BY: 'asking', SERVICE_AGENT_NAME: 'a' }
  await using again = spawnBridge(a.home, { ...env, SERVICE_STORE_URL: hosts.urlAt(a.proxy.port) })
  await again.listening
  expect(await answerTo(a, 'waiting')).toMatchObject({ ok: false, uncertain: true })
  expect(platform.requests.length).toBe(2)
})

test('a file that waited for its item is answered, and the agent lives on, when the store is away as its turn comes', async () => {
  await using files = await twoFiles(stock(4), 'answers')
  const { a, reply } = files
  a.proxy.cut()
  await a.agent.printed('the store cannot be reached')
  reply.resolve({ status: 200, body: '' })
  expect(await answerTo(a, 'waiting')).toMatchObject({ ok: false, code: 'STORE_UNREACHABLE' })
  a.proxy.heal()
  await a.agent.printed('the store is there again')
  await until(async () => (await a.agent.call('market.adjust-stock', { ...item, observedQuantity: 4 })).ok)
})
