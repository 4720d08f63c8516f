import { expect, test } from 'vitest'
import { ScriptedPlatform } from '../fixtures/scripted-platform.ts'
import { goodBodies, startTestAgent } from '../fixtures/test-agent.ts'

const adjust = (itemRef: string, observedQuantity: number) =>
  ['market.adjust-stock', { itemRef, observedQuantity }] as const
const observed = (platform: ScriptedPlatform) => platform.seen.map(({ body }) => JSON.parse(body).observedQuantity)

test('observations of one listing reach the platform in the order in which they were made', async () => {
  await using platform = await ScriptedPlatform.start([{ status: 503 }])
  platform.otherwise = { status: 200 }
  await using agent = await startTestAgent(platform.url)
  const later: Promise<unknown>[] = []
  agent.clock.onSleep = async () => {
    for (const quantity of [4, 3, 2, 1]) {
      later.push(agent.call(...adjust('item-1', quantity)))
      await agent.clock.timers(later.length)
    }
  }
  expect(await agent.call(...adjust('item-1', 5))).toMatchObject({ ok: true })
  await Promise.all(later)
  expect(observed(platform)).toEqual([5, 5, 4, 3, 2, 1])
})

test('a stalled listing delays no other', async () => {
  await using platform = await ScriptedPlatform.start([{ fault: 'silence' }])
  platform.otherwise = { status: 200 }
  await using agent = await startTestAgent(platform.url)
  const stalled = agent.call(...adjust('item-1', 5))
  await platform.requests(1)
  expect(await agent.call(...adjust('item-2', 4))).toMatchObject({ ok: true })
  agent.clock.advance(30_000)
  await stalled
})

test('after a lost answer the next call of the item goes at once', async () => {
  await using platform = await ScriptedPlatform.start([{ fault: 'silence' }])
  platform.otherwise = { status: 200 }
  await using agent = await startTestAgent(platform.url, { callDeadlineMs: 10_000 })
  const lost = agent.call(...adjust('item-1', 5))
  await platform.requests(1)
  agent.clock.advance(10_000)
  expect(await lost).toMatchObject({ ok: false, uncertain: true })
  // The clock does not move: a call that waited would never be answered.
  expect(await agent.call(...adjust('item-1', 3))).toMatchObject({ ok: true })
  expect(observed(platform)).toEqual([5, 3])
})

test('after a lost answer the same delivery is repeated at once', async () => {
  await using platform = await ScriptedPlatform.start([{ fault: 'silence' }])
  platform.otherwise = { status: 200, body: goodBodies['transaction.delivery'] ?? '' }
  await using agent = await startTestAgent(platform.url, { callDeadlineMs: 10_000 })
  const delivery = ['transaction.delivery', { transactionId: 42 }, 'delivery-42'] as const
  const lost = agent.call(...delivery)
  await platform.requests(1)
  agent.clock.advance(10_000)
  expect(await lost).toMatchObject({ ok: false, uncertain: true })
  expect(await agent.call(...delivery)).toMatchObject({ ok: true })
  expect(platform.seen).toHaveLength(2)
})

test('a call whose turn does not come in time is refused by the agent itself, certain that nothing was sent', async () => {
  await using platform = await ScriptedPlatform.start([{ fault: 'silence' }])
  await using agent = await startTestAgent(platform.url, { callDeadlineMs: 10_000 })
  const older = agent.call(...adjust('item-1', 5))
  await platform.requests(1)
  const running = agent.clock.timersRunning
  const newer = agent.callText(
    JSON.stringify({ operation: 'market.adjust-stock', input: { itemRef: 'item-1', observedQuantity: 3 } }),
  )
  await agent.clock.timers(running + 1)
  agent.clock.advance(10_000)
  expect(await older).toMatchObject({ uncertain: true })
  expect(JSON.parse((await newer).text)).toEqual({
    ok: false,
    status: 504,
    code: 'EARLIER_CALL_UNFINISHED',
    message: expect.stringContaining('nada foi enviado'),
  })
  expect(observed(platform)).toEqual([5])
  const ownLines = agent.logLines().filter(({ source }) => source === 'agent')
  expect(ownLines).toMatchObject([{ msg: 'call answered', outcome: 'refused', status: 504, attempts: 0 }])
  const metrics = await (await fetch(`${agent.url}/metrics`)).text()
  expect(metrics).toContain(
    'market_agent_calls_total{operation="market.adjust-stock",outcome="refused",source="agent"} 1',
  )
})

test('a call whose turn comes when no attempt fits any more is refused, and not sent', async () => {
  await using platform = await ScriptedPlatform.start([{ status: 503, body: '{"message":"Já volta."}' }])
  platform.otherwise = { status: 200 }
  await using agent = await startTestAgent(platform.url, { callDeadlineMs: 5_000 })
  let newer: Promise<unknown> | undefined
  agent.clock.onSleep = async () => {
    const running = agent.clock.timersRunning
    newer = agent.call(...adjust('item-1', 3))
    await agent.clock.timers(running + 1)
    agent.clock.advance(4_950)
  }
  expect(await agent.call(...adjust('item-1', 5))).toMatchObject({ ok: true })
  expect(await newer).toMatchObject({ ok: false, status: 504, message: expect.stringContaining('nada foi enviado') })
  expect(observed(platform)).toEqual([5, 5])
})

test('a repeated id is answered at once, however long its item is busy', async () => {
  await using platform = await ScriptedPlatform.start([{ status: 200 }, { fault: 'silence' }])
  platform.otherwise = { status: 200 }
  await using agent = await startTestAgent(platform.url)
  await agent.call(...adjust('item-1', 5), 'known')
  const stalled = agent.call(...adjust('item-1', 4))
  await platform.requests(2)
  expect(await agent.call(...adjust('item-1', 5), 'known')).toMatchObject({ ok: true })
  agent.clock.advance(10_000)
  expect(await stalled).toMatchObject({ ok: true })
  expect(observed(platform)).toEqual([5, 4, 4])
})

test('equal ids that wait for their item share one answer, and one attempt', async () => {
  await using platform = await ScriptedPlatform.start([{ fault: 'silence' }])
  platform.otherwise = { status: 200 }
  await using agent = await startTestAgent(platform.url, { callDeadlineMs: 60_000 })
  const stalled = agent.call(...adjust('item-1', 5))
  await platform.requests(1)
  const sharing = [1, 2].map(() => agent.call(...adjust('item-1', 4), 'both'))
  await agent.clock.timers(2)
  agent.clock.advance(10_000)
  await stalled
  agent.clock.advance(30_000)
  expect(await Promise.all(sharing)).toMatchObject([{ ok: true }, { ok: true }])
  expect(observed(platform)).toEqual([5, 5, 4])
})
