import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { until } from '../../../scripts/until.ts'
import { agentHome, processPublicKey, spawnAgent } from '../fixtures/agent-process.ts'
import { FakePlatform, goodReply } from '../fixtures/fake-platform.ts'
import { hasSmallDisks, smallDisk } from '../fixtures/small-disk.ts'
import { eligible, putRequest } from '../fixtures/spool-fixture.ts'
import { goodInputs } from '../fixtures/test-agent.ts'

const create = goodInputs['transaction.create']
const adjust = goodInputs['market.adjust-stock']
const ballastBytes = 4 * 1024 * 1024

test.skipIf(!hasSmallDisks)(
  'a full disk refuses new calls with an id before they are sent, keeps the answers of those under way, and recovers',
  async () => {
    await using platform = await FakePlatform.start(processPublicKey)
    using home = agentHome(platform.url)
    using disk = await smallDisk(home.stateDir)
    const { promise: full, resolve: letGo } = Promise.withResolvers<void>()
    platform.reply = async (request) => {
      if (request.method !== 'GET') await full
      return goodReply(request)
    }
    await using agent = spawnAgent(home, { wrapper: disk.wrapper })
    await agent.listening
    const input = (n: number) => ({ ...create, itemRef: `item-${n}` })
    const underWay = Array.from({ length: 12 }, (_, n) => agent.callText('transaction.create', input(n), `buy-${n}`))
    await platform.arrived(12)
    disk.fill()
    const refused = { ok: false, id: 'late', message: expect.stringContaining('nada foi enviado'), status: 503 }
    expect(await agent.call('transaction.create', create, 'late')).toMatchObject(refused)
    expect(await agent.call('market.adjust-stock', adjust, 'late')).toMatchObject(refused)
    expect(await agent.call('market.eligibility', goodInputs['market.eligibility'])).toMatchObject({ ok: true })
    letGo()
    const answers = (await Promise.all(underWay)).map((answer) => JSON.parse(answer))
    expect(answers.map(({ ok }) => ok)).toEqual(answers.map(() => true))

    disk.fill()
    expect(await agent.call('transaction.create', create, 'late')).toMatchObject(refused)
    expect(await agent.call('market.adjust-stock', adjust, 'late')).toMatchObject(refused)
    for (const [n, answer] of answers.entries()) {
      expect(await agent.call('transaction.create', input(n), `buy-${n}`)).toMatchObject(answer)
    }
    expect(platform.requests.filter(({ method }) => method !== 'GET')).toHaveLength(12)

    disk.free()
    expect(await agent.call('transaction.create', create, 'late')).toMatchObject({ ok: true })
    expect(disk.size('ballast')).toBe(ballastBytes)
    expect(await agent.stop()).toEqual({ code: 0, signal: null })
  },
)

test.skipIf(!hasSmallDisks)('the ballast is there before the first call', async () => {
  using home = agentHome('http://127.0.0.1:9')
  using disk = await smallDisk(home.stateDir)
  await using agent = spawnAgent(home, { wrapper: disk.wrapper })
  await agent.listening
  expect(disk.size('ballast')).toBe(ballastBytes)
})

test.skipIf(!hasSmallDisks)(
  'while the disk is full no id acts twice, each refusal is logged, and the agent is not ready until there is space',
  async () => {
    await using platform = await FakePlatform.start(processPublicKey)
    using home = agentHome(platform.url)
    using disk = await smallDisk(home.stateDir)
    const env = { SERVICE_SPOOL_DIR: home.spoolDir }
    // Answers that are stored, and so large that there is soon no space for them.
    const message = 'não '.repeat(5_000)
    platform.reply = (request) =>
      request.method === 'PUT' ? { status: 409, body: JSON.stringify({ message }) } : goodReply(request)
    await using agent = spawnAgent(home, { wrapper: disk.wrapper, env })
    await agent.listening
    const heartbeat = () => JSON.parse(readFileSync(join(home.spoolDir, 'agent.json'), 'utf8'))
    putRequest(join(home.spoolDir, 'outbox'), 'ask-1', eligible)
    await until(() => heartbeat().ready === true)
    disk.fill()
    // Answers are stored in the space that SQLite already has, then in the ballast, then calls are refused.
    const asked: string[] = []
    for (let n = 1, isRefused = false; !isRefused; n++) {
      asked.push(`stock-${n}`)
      isRefused = (await agent.call('market.adjust-stock', adjust, `stock-${n}`))['status'] === 503
    }
    for (const id of asked.slice(-20)) await agent.call('market.adjust-stock', adjust, id)
    expect(platform.requests.filter(({ method }) => method === 'PUT')).toHaveLength(asked.length - 1)
    const logged = () => agent.output().match(/"fault":"journal-full","cause":"ENOSPC: [^"]*SERVICE_STATE_DIR/g)?.length
    await until(() => logged() === 2)
    await until(() => heartbeat().ready === false)
    expect(heartbeat().reasons).toEqual([
      `calls with an id are refused, because ${home.stateDir} cannot be written: free space on its disk`,
    ])
    disk.free()
    await agent.printed('calls with an id are taken again')
    await until(() => heartbeat().ready === true)
    expect(agent.output().match(/calls with an id are refused, because/g)).toHaveLength(1)
    expect(await agent.stop()).toEqual({ code: 0, signal: null })
  },
)
