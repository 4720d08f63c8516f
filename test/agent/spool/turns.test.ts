import { existsSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { until } from '../../../scripts/until.ts'
import { goodReply, type PlatformReply, type PlatformRequest } from '../fixtures/fake-platform.ts'
import {
  claimOf,
  eligible,
  namesIn,
  purchase,
  putRequest,
  secondAnswer,
  startTestSpool,
} from '../fixtures/spool-fixture.ts'
import { replayOf } from '../fixtures/test-agent.ts'

/** Answers of the platform that a test lets go one by one, in the order of arrival. */
function heldReplies() {
  const held: (() => void)[] = []
  const reply = (request: PlatformRequest): Promise<PlatformReply> =>
    new Promise((resolve) => held.push(() => resolve(goodReply(request))))
  return { held, reply }
}

const asking = (characterRef: string) => ({ action: 'market.eligibility', characterRef })
const askedFor = (requests: readonly PlatformRequest[]) => requests.map(({ path }) => path.split('/').at(-1))
const observing = (observedQuantity: number) => ({ action: 'market.adjust-stock', itemRef: 'item-1', observedQuantity })

test('at most 8 are in flight, and each answer lets the next one in', async () => {
  await using spool = await startTestSpool()
  const { held, reply } = heldReplies()
  spool.platform.reply = reply
  for (let n = 1; n <= 20; n++) spool.put(`ask-${n}`, asking(`char-${n}`))
  await spool.platform.arrived(8)
  await until(() => namesIn(spool.outbox).filter((name) => name.includes('.claim-')).length === 8)
  for (let answered = 1; answered <= 12; answered++) {
    held.shift()?.()
    await spool.platform.arrived(8 + answered)
    expect(held).toHaveLength(8)
    expect(namesIn(spool.outbox).filter((name) => name.endsWith('.json'))).toHaveLength(12 - answered)
  }
  for (const release of held.splice(0)) release()
  for (let n = 1; n <= 20; n++) expect(await spool.take(`ask-${n}`)).toMatchObject({ ok: true })
  expect(spool.platform.requests).toHaveLength(20)
})

test('a claim shows as a rename within a second and goes when the answer is there', async () => {
  await using spool = await startTestSpool()
  const { held, reply } = heldReplies()
  spool.platform.reply = reply
  spool.put('ask-1', eligible)
  const putAtMs = performance.now()
  const [claim = ''] = await until(() => {
    const names = namesIn(spool.outbox)
    return names.length === 1 && claimOf('ask-1').test(names[0] ?? '') && names
  })
  expect(performance.now() - putAtMs).toBeLessThan(1_000)
  expect(JSON.parse(readFileSync(join(spool.outbox, claim), 'utf8'))).toEqual(eligible)
  expect(existsSync(join(spool.inbox, 'ask-1.json'))).toBe(false)
  await spool.platform.arrived(1)
  held[0]?.()
  await spool.answer('ask-1')
  expect(namesIn(spool.outbox)).toEqual([])
})

test('files that were there first go first: by time of change, then by name', async () => {
  await using spool = await startTestSpool({
    start: 'later',
    before: ({ outbox }) => {
      mkdirSync(outbox, { recursive: true })
      for (let n = 0; n < 40; n++) {
        const path = join(outbox, `q-${n}.json`)
        writeFileSync(path, JSON.stringify(asking(`c${n}`)))
        // By time backwards, in pairs of the same time.
        utimesSync(path, 1_700_000_000, 1_700_000_000 - Math.floor(n / 2))
      }
    },
  })
  const { held, reply } = heldReplies()
  spool.platform.reply = reply
  await spool.start()
  for (let arrived = 8; arrived <= 40; arrived++) {
    await spool.platform.arrived(arrived)
    held.shift()?.()
  }
  const byTimeThenName = Array.from({ length: 40 }, (_, n) => n).sort(
    (a, b) => Math.floor(b / 2) - Math.floor(a / 2) || (`q-${a}.json` < `q-${b}.json` ? -1 : 1),
  )
  const asked = askedFor(spool.platform.requests).map((characterRef) => Number(characterRef?.slice(1)))
  // Among the first eight, which leave together, the network decides.
  expect(new Set(asked.slice(0, 8))).toEqual(new Set(byTimeThenName.slice(0, 8)))
  expect(asked.slice(8)).toEqual(byTimeThenName.slice(8))
})

test('a file that was seen later goes later, however old it says it is', async () => {
  await using spool = await startTestSpool()
  const { held, reply } = heldReplies()
  spool.platform.reply = reply
  for (let n = 1; n <= 8; n++) spool.put(`first-${n}`, asking(`f${n}`))
  await spool.platform.arrived(8)
  spool.put('waiting', asking('waiting'))
  await spool.looked()
  const copied = join(spool.root, 'copied')
  writeFileSync(copied, JSON.stringify(asking('copied')))
  utimesSync(copied, 1_000_000_000, 1_000_000_000)
  putRequest(spool.outbox, 'copied', readFileSync(copied))
  utimesSync(join(spool.outbox, 'copied.json'), 1_000_000_000, 1_000_000_000)
  held.shift()?.()
  await spool.platform.arrived(9)
  held.shift()?.()
  await spool.platform.arrived(10)
  expect(askedFor(spool.platform.requests).slice(8)).toEqual(['waiting', 'copied'])
})

test('observations of one item reach the platform in the order of their files, one at a time', async () => {
  await using spool = await startTestSpool({
    start: 'later',
    before: ({ outbox }) => {
      mkdirSync(outbox, { recursive: true })
      for (let n = 100; n < 300; n++) putRequest(outbox, `s-${n}`, observing(n))
    },
  })
  let underWay = 0
  let most = 0
  spool.platform.reply = async (request) => {
    most = Math.max(most, ++underWay)
    await new Promise(setImmediate)
    underWay--
    return goodReply(request)
  }
  await spool.start()
  for (let n = 100; n < 300; n++) expect(await spool.take(`s-${n}`)).toMatchObject({ ok: true })
  const observed = spool.platform.requests.map(({ body }) => JSON.parse(body).observedQuantity)
  expect(observed).toEqual(Array.from({ length: 200 }, (_, n) => 100 + n))
  expect(most).toBe(1)
})

test('an old unread answer is set aside when its id is claimed again, and a second one next to it', async () => {
  await using spool = await startTestSpool()
  const { held, reply } = heldReplies()
  for (const round of [1, 2]) {
    spool.put('daily', asking(`c${round}`))
    await until(() => spool.platform.requests.length === round)
    await spool.answer('daily')
    spool.clock.advance(600_001)
  }
  const first = readFileSync(join(spool.inbox, 'daily.json.unread'), 'utf8')
  const second = await spool.answerText('daily')
  spool.platform.reply = reply
  spool.put('daily', asking('c3'))
  await spool.platform.arrived(3)
  const names = namesIn(spool.inbox)
  expect(names).toEqual(['daily.json.unread', expect.stringMatching(/^daily\.json\.unread\.\d+$/)])
  expect(names.map((name) => readFileSync(join(spool.inbox, name), 'utf8'))).toEqual([first, second])
  held[0]?.()
  await spool.answer('daily')
  expect(namesIn(spool.inbox)).toEqual(['daily.json', ...names])
})

test('a new file of an id whose claim lives waits for it, replaces nothing, and is answered after', async () => {
  await using spool = await startTestSpool()
  const { held, reply } = heldReplies()
  spool.platform.reply = reply
  spool.put('buy-1', purchase)
  await spool.platform.arrived(1)
  spool.put('buy-1', { ...purchase, quantity: 2 })
  await spool.looked()
  expect(namesIn(spool.outbox)).toEqual(['buy-1.json', expect.stringMatching(claimOf('buy-1'))])
  held[0]?.()
  // The first answer is unread when the second file is claimed.
  await secondAnswer(spool, 'buy-1')
  const first = readFileSync(join(spool.inbox, 'buy-1.json.unread'), 'utf8')
  expect(JSON.parse(first)).toMatchObject({ id: 'buy-1', ok: true, transactionId: 42 })
  expect(await spool.take('buy-1')).toMatchObject({ ok: false, status: 422 })
  expect(spool.platform.requests).toHaveLength(1)
  expect(namesIn(spool.outbox)).toEqual([])
})

test('an id repeated within 10 minutes gets the same answer, byte for byte except the mark, without the platform', async () => {
  await using spool = await startTestSpool()
  spool.put('buy-1', purchase)
  const first = await spool.answerText('buy-1')
  await spool.take('buy-1')
  spool.clock.advance(590_000)
  spool.put('buy-1', purchase)
  expect(await spool.answerText('buy-1')).toBe(replayOf(first))
  await spool.take('buy-1')
  expect(spool.platform.requests).toHaveLength(1)
  spool.clock.advance(20_000)
  spool.put('buy-1', purchase)
  await spool.take('buy-1')
  expect(spool.platform.requests).toHaveLength(2)
})

test('an id used for something else is refused with 422, and nothing is sent', async () => {
  await using spool = await startTestSpool()
  spool.put('buy-1', purchase)
  await spool.take('buy-1')
  spool.put('buy-1', { ...purchase, quantity: 2 })
  expect(await spool.take('buy-1')).toMatchObject({ id: 'buy-1', ok: false, status: 422 })
  expect(spool.platform.requests).toHaveLength(1)
})

test('files and HTTP share one window, and one call under way', async () => {
  await using spool = await startTestSpool()
  const { action, ...input } = purchase
  spool.put('by-file', purchase)
  const byFile = await spool.take('by-file')
  const again = await spool.agent.call(action, input, 'by-file')
  const data = { transactionId: 42, checkoutUrl: byFile['checkoutUrl'] }
  expect(again).toEqual({ ok: true, id: 'by-file', data, replayed: true })
  await spool.agent.call(action, input, 'by-http')
  spool.put('by-http', purchase)
  expect(await spool.take('by-http')).toMatchObject({ ok: true, transactionId: 42, replayed: true })
  expect(spool.platform.requests).toHaveLength(2)

  const { held, reply } = heldReplies()
  spool.platform.reply = reply
  const underWay = spool.agent.call(action, input, 'both')
  await spool.platform.arrived(3)
  spool.put('both', purchase)
  await until(() => namesIn(spool.outbox).some((name) => claimOf('both').test(name)))
  held[0]?.()
  expect(await underWay).toMatchObject({ ok: true })
  expect(await spool.take('both')).toMatchObject({ ok: true })
  expect(spool.platform.requests).toHaveLength(3)
})
