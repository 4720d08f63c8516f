import { expect, test } from 'vitest'
import { agentHome, processPublicKey, spawnAgent } from '../agent/fixtures/agent-process.ts'
import { FakePlatform } from '../agent/fixtures/fake-platform.ts'
import { goodInputs } from '../agent/fixtures/test-agent.ts'
import { cutPower, spawnOnDisk } from './power-cut.ts'
import { killAtRandom } from './random-kills.ts'

const create = (itemRef: string) => ({ ...goodInputs['transaction.create'], itemRef })
const stock = (itemRef: string) => ({ itemRef, observedQuantity: 3 })

test('after a power cut a once call that was answered has its answer, one under way is in doubt, and none is sent again', async () => {
  await using platform = await FakePlatform.start(processPublicKey)
  using home = agentHome(platform.url)
  const good = platform.reply
  platform.reply = (request) => (request.body.includes('silent') ? new Promise<never>(() => undefined) : good(request))
  const sent = (itemRef: string) => platform.requests.filter(({ body }) => body.includes(itemRef)).length
  await using first = spawnAgent(home, spawnOnDisk(home))
  const bought = await first.call('transaction.create', create('item-1'), 'buy-1')
  const registered = await first.call('market.register', goodInputs['market.register'], 'sell-1')
  await first.call('market.adjust-stock', stock('item-early'), 'stock-early')
  const cut = expect(first.callText('transaction.create', create('item-silent'), 'buy-2')).rejects.toThrow()
  await platform.arrived(4)
  const lost = await first.call('market.adjust-stock', stock('item-late'), 'stock-late')
  expect(lost).toMatchObject({ ok: true })
  await first.kill()
  await cut
  cutPower(home)

  await using second = spawnAgent(home, spawnOnDisk(home))
  expect(await second.call('transaction.create', create('item-1'), 'buy-1')).toEqual({ ...bought, replayed: true })
  expect(await second.call('market.register', goodInputs['market.register'], 'sell-1')).toEqual({
    ...registered,
    replayed: true,
  })
  expect(await second.call('transaction.create', create('item-silent'), 'buy-2')).toMatchObject({
    ok: false,
    status: 504,
    uncertain: true,
  })
  expect([sent('item-1"'), sent('item-silent')]).toEqual([2, 1])
  // A sync keeps everything before it. Everything after the last one is lost and may run again.
  expect(await second.call('market.adjust-stock', stock('item-early'), 'stock-early')).toMatchObject({ replayed: true })
  expect(await second.call('market.adjust-stock', stock('item-late'), 'stock-late')).toEqual(lost)
  expect([sent('item-early'), sent('item-late')]).toEqual([1, 2])
})

test('an agent that loses its power at random moments under load does nothing once twice, and answers everything', {
  timeout: 300_000,
}, async () => {
  const seed = Number(process.env['CRASH_SEED'] ?? Math.floor(Math.random() * 2 ** 31))
  const { requests, violations } = await killAtRandom(8, seed, { spawnOptions: spawnOnDisk, onKill: cutPower })
  console.log(`CRASH_SEED=${seed}: 8 power cuts under ${requests} requests`)
  expect(violations, `CRASH_SEED=${seed}`).toEqual([])
})
