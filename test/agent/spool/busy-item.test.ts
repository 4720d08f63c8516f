import { mkdirSync, readFileSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { until } from '../../../scripts/until.ts'
import { goodReply, type PlatformReply, type PlatformRequest } from '../fixtures/fake-platform.ts'
import {
  claimOf,
  eligible,
  namesIn,
  newerFilesThan,
  putRequest,
  startTestSpool,
  type TestSpool,
} from '../fixtures/spool-fixture.ts'

/** Answers of the platform to observations, which a test lets go one by one; all else is answered at once. */
function heldObservations() {
  const held: (() => void)[] = []
  const reply = (request: PlatformRequest): PlatformReply | Promise<PlatformReply> =>
    request.method === 'PUT'
      ? new Promise((resolve) => held.push(() => resolve(goodReply(request))))
      : goodReply(request)
  return { held, reply }
}

const observing = (observedQuantity: number, itemRef = 'item-1') => ({
  action: 'market.adjust-stock',
  itemRef,
  observedQuantity,
})
const observed = ({ platform }: TestSpool): number[] =>
  platform.requests.filter(({ method }) => method === 'PUT').map(({ body }) => JSON.parse(body).observedQuantity)
const claims = ({ outbox }: TestSpool) => namesIn(outbox).filter((name) => name.includes('.claim-'))
const countFrom = (first: number, count: number) => Array.from({ length: count }, (_, n) => first + n)

/** Lets observations go as they come, until each file is answered; returns when all are. */
async function answerAll(spool: TestSpool, held: (() => void)[], ids: readonly string[]): Promise<void> {
  await until(() => {
    for (const letGo of held.splice(0)) letGo()
    const answered = new Set(namesIn(spool.inbox))
    return ids.every((id) => answered.has(`${id}.json`))
  })
  for (const id of ids) expect(await spool.take(id)).toMatchObject({ id, ok: true })
}

test('requests that wait for their item use none of the 8 slots', async () => {
  await using spool = await startTestSpool()
  const { held, reply } = heldObservations()
  spool.platform.reply = reply
  for (const n of countFrom(100, 20)) spool.put(`s-${n}`, observing(n))
  await until(() => claims(spool).length === 20)
  for (let n = 0; n < 20; n++) {
    spool.put(`ask-${n}`, eligible)
    expect(await spool.take(`ask-${n}`)).toMatchObject({ ok: true })
  }
  expect(observed(spool)).toEqual([100])
  await answerAll(
    spool,
    held,
    countFrom(100, 20).map((n) => `s-${n}`),
  )
  expect(observed(spool)).toEqual(countFrom(100, 20))
})

test('besides the 8 that are called, 64 wait for their item and the rest in the outbox, and all are called in order', async () => {
  const ids = countFrom(100, 100).map((n) => `s-${n}`)
  await using spool = await startTestSpool({
    start: 'later',
    before: ({ outbox }) => {
      mkdirSync(outbox, { recursive: true })
      for (const n of countFrom(100, 100)) putRequest(outbox, `s-${n}`, observing(n))
    },
  })
  const { held, reply } = heldObservations()
  spool.platform.reply = reply
  await spool.start()
  // One is in work; those above the 64 use the 7 other slots.
  await until(() => claims(spool).length === 72)
  await spool.looked()
  expect(claims(spool)).toHaveLength(72)
  await answerAll(spool, held, ids)
  expect(observed(spool)).toEqual(countFrom(100, 100))
})

test('no more than 8 are ever in flight, however many come back from waiting', async () => {
  await using spool = await startTestSpool()
  const { held, reply } = heldObservations()
  spool.platform.reply = reply
  for (const n of countFrom(1, 4)) {
    for (const item of countFrom(10, 12)) spool.put(`s-${n}-${item}`, observing(n, `item-${item}`))
  }
  await until(() => held.length === 8)
  for (let answered = 0; answered < 48; answered++) {
    await until(() => held.length > 0)
    expect(held.length).toBeLessThanOrEqual(8)
    held.shift()?.()
  }
  const ids = countFrom(10, 12).flatMap((item) => countFrom(1, 4).map((n) => `s-${n}-${item}`))
  await answerAll(spool, held, ids)
  for (const item of countFrom(10, 12)) {
    const ofItem = spool.platform.requests.filter(({ body }) => body.includes(`"item-${item}"`))
    expect(ofItem.map(({ body }) => JSON.parse(body).observedQuantity)).toEqual([1, 2, 3, 4])
  }
})

test('an HTTP call for an item goes after the files that were claimed before it', async () => {
  await using spool = await startTestSpool()
  const { held, reply } = heldObservations()
  spool.platform.reply = reply
  for (const n of countFrom(1, 3)) {
    spool.put(`s-${n}`, observing(n))
    await until(() => claims(spool).length === n)
  }
  await spool.looked()
  const called = spool.agent.call('market.adjust-stock', { itemRef: 'item-1', observedQuantity: 99 })
  await until(() => {
    for (const letGo of held.splice(0)) letGo()
    return observed(spool).length === 4
  })
  held[0]?.()
  await answerAll(spool, held, ['s-1', 's-2', 's-3'])
  expect(await called).toMatchObject({ ok: true })
  expect(observed(spool)).toEqual([1, 2, 3, 99])
})

test('a file that waits for its item and an HTTP call of the same id get one answer, and act once', async () => {
  await using spool = await startTestSpool()
  const { held, reply } = heldObservations()
  spool.platform.reply = reply
  spool.put('s-1', observing(1))
  await until(() => held.length === 1)
  spool.put('both', observing(2))
  await until(() => claims(spool).length === 2)
  await spool.looked()
  const called = spool.agent.call('market.adjust-stock', { itemRef: 'item-1', observedQuantity: 2 }, 'both')
  await spool.looked()
  await answerAll(spool, held, ['s-1', 'both'])
  expect(await called).toMatchObject({ id: 'both', ok: true })
  expect(observed(spool)).toEqual([1, 2])
})

test('a file whose answer is known already hands its turn on', async () => {
  await using spool = await startTestSpool()
  for (const _ of [1, 2]) {
    spool.put('s-1', observing(1))
    expect(await spool.take('s-1')).toMatchObject({ ok: true })
  }
  spool.put('s-2', observing(2))
  expect(await spool.take('s-2')).toMatchObject({ ok: true })
  expect(observed(spool)).toEqual([1, 2])
})

test('a call without an answer delays only its own item, and only until its own end', async () => {
  await using spool = await startTestSpool()
  const lost: PlatformRequest[] = []
  spool.platform.reply = (request) => {
    if (request.method !== 'PUT' || JSON.parse(request.body).observedQuantity !== 101) return goodReply(request)
    lost.push(request)
    return new Promise(() => undefined)
  }
  for (const n of countFrom(101, 12)) spool.put(`s-${n}`, observing(n))
  await until(() => lost.length === 1)
  for (let n = 0; n < 8; n++) {
    spool.put(`ask-${n}`, eligible)
    expect(await spool.take(`ask-${n}`)).toMatchObject({ ok: true })
  }
  const first = await until(() => {
    spool.clock.advance(500)
    return JSON.parse(readFileSync(join(spool.inbox, 's-101.json'), 'utf8'))
  })
  expect(first).toMatchObject({ ok: false, status: 504, uncertain: true })
  const atEndMs = spool.clock.monotonicMs()
  for (const n of countFrom(102, 11)) expect(await spool.take(`s-${n}`)).toMatchObject({ ok: true })
  // Long before the abandoned attempt cannot arrive any more.
  expect(spool.clock.monotonicMs() - atEndMs).toBeLessThan(15_000)
  expect(observed(spool).at(-1)).toBe(112)
})

test('a stopped agent gives files that wait for their item their names back, and the next answers them in order', async () => {
  await using spool = await startTestSpool()
  const { held, reply } = heldObservations()
  spool.platform.reply = reply
  const ids = countFrom(100, 20).map((n) => `s-${n}`)
  for (const n of countFrom(100, 20)) spool.put(`s-${n}`, observing(n))
  await until(() => claims(spool).length === 20 && held.length === 1)
  const stopped = spool.stop()
  held.shift()?.()
  await stopped
  expect(namesIn(spool.outbox)).toEqual(ids.slice(1).map((id) => `${id}.json`))
  expect(observed(spool)).toEqual([100])
  await spool.start()
  await answerAll(spool, held, ids)
  expect(observed(spool)).toEqual(countFrom(100, 20))
})

test('an orphaned claim stays a claim when the agent stops while it waits for its item', async () => {
  await using spool = await startTestSpool({
    start: 'later',
    before: ({ outbox }) => mkdirSync(outbox, { recursive: true }),
  })
  const { held, reply } = heldObservations()
  spool.platform.reply = reply
  const registration = { action: 'market.register', itemRef: 'item-1', gameItemId: 'g', itemName: 'E', attributes: 'a' }
  const once = { ...registration, quantityListed: 1, unitAmountCents: 1, sellerCharacterRef: 'c' }
  putRequest(spool.outbox, 's-1', observing(1))
  putRequest(spool.outbox, 'sell', once)
  const owner = '0b1e55ed-0000-4000-8000-000000000000'
  for (const id of ['s-1', 'sell']) {
    const claim = join(spool.outbox, `${id}.json.claim-${owner}`)
    renameSync(join(spool.outbox, `${id}.json`), claim)
    await newerFilesThan(claim)
  }
  await spool.start()
  await until(() => held.length === 1)
  const stopped = spool.stop()
  held.shift()?.()
  await stopped
  expect(namesIn(spool.outbox)).toEqual([expect.stringMatching(claimOf('sell'))])
  await spool.start()
  expect(await spool.take('sell')).toMatchObject({ ok: false, status: 504, uncertain: true })
  expect(spool.platform.requests).toHaveLength(1)
})
