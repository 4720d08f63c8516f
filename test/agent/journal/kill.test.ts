import { expect, test } from 'vitest'
import { agentHome, processPublicKey, spawnAgent } from '../fixtures/agent-process.ts'
import { FakePlatform } from '../fixtures/fake-platform.ts'
import { goodInputs, replayOf } from '../fixtures/test-agent.ts'

const create = goodInputs['transaction.create']
const silence = () => new Promise<never>(() => undefined)

test('after kill -9 every id that was answered is answered the same, byte for byte except the mark, without the platform', async () => {
  await using platform = await FakePlatform.start(processPublicKey)
  using home = agentHome(platform.url)
  const calls: [operation: string, input: unknown, id: string][] = [
    ['transaction.create', create, 'buy-1'],
    ['market.register', goodInputs['market.register'], 'sell-1'],
    ['market.adjust-stock', goodInputs['market.adjust-stock'], 'stock-1'],
    ['market.eligibility', goodInputs['market.eligibility'], 'ask-1'],
    ['transaction.delivery', { transactionId: 404 }, 'deliver-1'],
    ['transaction.create', { ...create, itemRef: 'lost' }, 'doubt-1'],
  ]
  const good = platform.reply
  platform.reply = (request) => {
    if (request.path.includes('404')) return { status: 404, body: '{"message":"Transação não encontrada."}' }
    return request.body.includes('lost') ? { status: 500, body: '{"message":"Erro."}' } : good(request)
  }
  await using first = spawnAgent(home)
  const answers: string[] = []
  for (const call of calls) answers.push(await first.callText(...call))
  await first.kill()
  const { length } = platform.requests
  await using second = spawnAgent(home)
  for (const [index, call] of calls.entries())
    expect(await second.callText(...call)).toBe(replayOf(answers[index] ?? ''))
  expect(await second.call('transaction.create', { ...create, quantity: 2 }, 'buy-1')).toMatchObject({ status: 422 })
  expect(platform.requests).toHaveLength(length)
  expect(answers.map((answer) => JSON.parse(answer).ok)).toEqual([true, true, true, true, false, false])
})

test('a once call that kill -9 cut short is in doubt after the restart, and never sent again', async () => {
  await using platform = await FakePlatform.start(processPublicKey)
  using home = agentHome(platform.url)
  platform.reply = silence
  await using first = spawnAgent(home)
  const cut = expect(first.callText('transaction.create', create, 'buy-1')).rejects.toThrow()
  await platform.arrived(1)
  await first.kill()
  await cut
  await using second = spawnAgent(home)
  const answer = await second.callText('transaction.create', create, 'buy-1')
  expect(JSON.parse(answer)).toEqual({
    ok: false,
    id: 'buy-1',
    message: expect.stringContaining('foi reiniciado'),
    status: 504,
    code: 'ANSWER_LOST',
    uncertain: true,
    replayed: true,
  })
  await second.kill()
  await using third = spawnAgent(home)
  expect(await third.callText('transaction.create', create, 'buy-1')).toBe(answer)
  expect(platform.requests).toHaveLength(1)
})

test('an idempotent call that kill -9 cut short runs again under its id', async () => {
  await using platform = await FakePlatform.start(processPublicKey)
  using home = agentHome(platform.url)
  const good = platform.reply
  platform.reply = silence
  await using first = spawnAgent(home)
  const cut = expect(first.callText('market.withdraw', { itemRef: 'item-1' }, 'w-1')).rejects.toThrow()
  await platform.arrived(1)
  await first.kill()
  await cut
  platform.reply = good
  await using second = spawnAgent(home)
  expect(await second.call('market.withdraw', { itemRef: 'item-1' }, 'w-1')).toMatchObject({ ok: true })
  expect(platform.requests).toHaveLength(2)
})

test('a once call that never left is not in doubt after kill -9', async () => {
  await using platform = await FakePlatform.start(processPublicKey)
  using home = agentHome(platform.url)
  await platform.stop()
  await using first = spawnAgent(home, { env: { SERVICE_CALL_DEADLINE_MS: '1000' } })
  expect(await first.call('transaction.create', create, 'buy-1')).toMatchObject({ ok: false, status: 503 })
  await first.kill()
  await platform.listen()
  await using second = spawnAgent(home)
  expect(await second.call('transaction.create', create, 'buy-1')).toMatchObject({ ok: true })
})
