import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { until } from '../../../scripts/until.ts'
import { end, order } from '../fixtures/events.ts'
import { goodReply } from '../fixtures/fake-platform.ts'
import { startTestBridge, type TestBridge } from '../fixtures/test-bridge.ts'

const eventFile = ({ spoolDir }: TestBridge, name: string) => join(spoolDir, 'events', `${name}.json`)
const replyFile = ({ spoolDir }: TestBridge, name: string) => join(spoolDir, 'replies', `${name}.json`)

const lostDispute = { ...end, paymentStatus: 'ESTORNADO', deliveryStatus: 'EM_DISPUTA' }
const refunded = {
  status: 200,
  body: '{"data":{"transactionId":17,"paymentStatus":"ESTORNADO","deliveryStatus":"EM_DISPUTA"}}',
}

/** Lets the agent look at its files until something holds. */
const afterALook = (bridge: TestBridge, holds: () => boolean) =>
  until(() => {
    bridge.clock.advance(200)
    return holds()
  })
const lineOf = (bridge: TestBridge, text: string) =>
  until(() => bridge.agent.logLines().find(({ msg }) => msg === text))

function reply(bridge: TestBridge, name: string, content: object, writtenS?: number): void {
  const path = replyFile(bridge, name)
  writeFileSync(`${path}.tmp`, JSON.stringify(content))
  if (writtenS !== undefined) utimesSync(`${path}.tmp`, writtenS, writtenS)
  renameSync(`${path}.tmp`, path)
}

test('replies that are found together count in the order in which they were written', async () => {
  await using bridge = await startTestBridge({ withSpool: true })
  const answers = [1, 2].map((transactionId) => bridge.webhook({ ...order, transactionId }))
  await until(() => [1, 2].every((id) => existsSync(eventFile(bridge, `transfer_order-${id}`))))
  const nowS = Math.floor(Date.now() / 1_000)
  // The agent runs in this process, so it sees both or none.
  reply(bridge, 'transfer_order-1', { observedQuantity: 4 }, nowS - 10)
  reply(bridge, 'transfer_order-2', { observedQuantity: 5 }, nowS - 20)
  await Promise.all(answers)
  const taken = bridge.agent.logLines().filter(({ msg }) => msg === 'order taken by the game server')
  expect(taken).toMatchObject([
    { transactionId: 2, observedQuantity: 5 },
    { transactionId: 1, observedQuantity: 4 },
  ])
})

test('files that cannot be removed are removed later, and their reply counts once', async () => {
  await using bridge = await startTestBridge({ withSpool: true })
  const answer = bridge.webhook(order)
  await until(() => existsSync(eventFile(bridge, 'transfer_order-17')))
  const events = join(bridge.spoolDir, 'events')
  // A directory that is not what it was: nothing can be removed in it.
  renameSync(events, `${events}.away`)
  writeFileSync(events, '')
  reply(bridge, 'transfer_order-17', { observedQuantity: 4 })
  expect(await answer).toEqual({ status: 200, body: { observedQuantity: 4 } })
  await until(() => bridge.agent.logLines().some(({ msg }) => msg.startsWith('orders cannot be handed over by files')))
  renameSync(events, `${events}.file`)
  renameSync(`${events}.away`, events)
  await until(() => !existsSync(eventFile(bridge, 'transfer_order-17')))
  expect(readdirSync(join(bridge.spoolDir, 'replies'))).toEqual([])
  expect((await bridge.orders()).open).toMatchObject([{ state: 'taken' }])
})

test('replies that answer nothing leave thirty lines a minute, and not one for each', async () => {
  await using bridge = await startTestBridge({ withSpool: true })
  const dir = join(bridge.spoolDir, 'replies')
  mkdirSync(dir, { recursive: true })
  for (let n = 1; n <= 80; n++) reply(bridge, `transfer_order-${n}`, { observedQuantity: 1 })
  await until(() => readdirSync(dir).filter((name) => name.endsWith('.rejected')).length === 80)
  const lines = () => bridge.agent.logLines().filter(({ msg }) => msg.startsWith('reply set aside'))
  expect(lines()).toHaveLength(30)
  bridge.clock.advance(60_000)
  await until(() => lines().length === 31)
  expect(lines().at(-1)).toMatchObject({ notLogged: 50 })
})

test('a file that can never be removed leaves one line', async () => {
  await using bridge = await startTestBridge({ withSpool: true })
  const answer = bridge.webhook(order)
  await until(() => existsSync(eventFile(bridge, 'transfer_order-17')))
  rmSync(eventFile(bridge, 'transfer_order-17'))
  mkdirSync(eventFile(bridge, 'transfer_order-17'))
  reply(bridge, 'transfer_order-17', { observedQuantity: 4 })
  await answer
  const lines = () =>
    bridge.agent.logLines().filter(({ msg }) => msg.startsWith('orders cannot be handed over by files'))
  await until(() => lines().length > 0)
  for (let look = 0; look < 10; look++) {
    bridge.clock.advance(1_000)
    await bridge.orders()
  }
  expect(lines()).toHaveLength(1)
})

test('a reply that cannot be set aside leaves one line', async () => {
  await using bridge = await startTestBridge({ withSpool: true })
  const answer = bridge.webhook(order)
  await until(() => existsSync(eventFile(bridge, 'transfer_order-17')))
  mkdirSync(`${replyFile(bridge, 'transfer_order-17')}.rejected`)
  reply(bridge, 'transfer_order-17', {})
  const lines = () =>
    bridge.agent.logLines().filter(({ msg }) => msg.startsWith('orders cannot be handed over by files'))
  await until(() => {
    bridge.clock.advance(1_000)
    return lines().length > 0
  })
  for (let look = 0; look < 10; look++) {
    bridge.clock.advance(1_000)
    await bridge.orders()
  }
  expect(lines()).toHaveLength(1)
  reply(bridge, 'transfer_order-17', { observedQuantity: 4 })
  expect(await answer).toMatchObject({ status: 503 })
  await until(async () => (await bridge.orders()).open[0]?.['state'] === 'taken')
})

test('a reply to an order that was not handed over yet is set aside and never counts', async () => {
  await using bridge = await startTestBridge({ withSpool: true })
  bridge.platform.reply = () => ({ status: 502 })
  const answer = bridge.webhook(order)
  await until(() => bridge.agent.logLines().some(({ msg }) => msg === 'order received'))
  await until(() => existsSync(join(bridge.spoolDir, 'replies')))
  reply(bridge, 'transfer_order-17', { observedQuantity: 4, result: 'DELIVERED' })
  await until(() => existsSync(`${replyFile(bridge, 'transfer_order-17')}.rejected`))
  bridge.clock.advance(9_001)
  expect((await answer).status).toBe(503)
  bridge.platform.reply = goodReply
  await until(() => {
    bridge.clock.advance(1_000)
    return existsSync(eventFile(bridge, 'transfer_order-17'))
  })
  expect((await bridge.orders()).open).toMatchObject([{ state: 'offered', result: null }])
})

test('a reply that is there when its order ends without it is kept, and staff are told that the buyer has item and money', async () => {
  await using bridge = await startTestBridge({ withSpool: true })
  const answer = bridge.webhook(order)
  await until(() => existsSync(eventFile(bridge, 'transfer_order-17')))
  bridge.platform.reply = () => refunded
  // The agent runs in this process. It looks at the files when its clock is advanced.
  reply(bridge, 'transfer_order-17', { observedQuantity: 4, result: 'DELIVERED' })
  expect((await bridge.webhook(lostDispute)).status).toBe(200)
  await answer
  await afterALook(bridge, () => existsSync(`${replyFile(bridge, 'transfer_order-17')}.rejected`))
  const line = await lineOf(bridge, 'a result came after the order was over')
  expect(line).toMatchObject({
    transactionId: 17,
    result: 'DELIVERED',
    cure: expect.stringMatching(/take the item back/),
  })
})

test('the confirmation of a terminal event does not confirm a later one', async () => {
  await using bridge = await startTestBridge({ withSpool: true })
  const answer = bridge.webhook(order)
  await until(() => existsSync(eventFile(bridge, 'transfer_order-17')))
  bridge.platform.reply = () => refunded
  expect((await bridge.webhook(lostDispute)).status).toBe(200)
  await answer
  const name = 'transaction_terminal-17'
  await until(() => existsSync(eventFile(bridge, name)))
  reply(bridge, name, {})
  expect((await bridge.webhook({ ...lostDispute, occurredAt: '2026-11-21T11:06:00Z' })).status).toBe(200)
  const isShown = (moment: string) => readFileSync(eventFile(bridge, name), 'utf8').includes(moment)
  await afterALook(bridge, () => existsSync(eventFile(bridge, name)) && isShown('11:06:00'))
  for (let look = 0; look < 3; look++) {
    bridge.clock.advance(200)
    await bridge.orders()
  }
  expect(existsSync(eventFile(bridge, name))).toBe(true)
  reply(bridge, name, {})
  await afterALook(bridge, () => !existsSync(eventFile(bridge, name)))
})

test('a reply by a file that contradicts orders.take is kept and logged', async () => {
  await using bridge = await startTestBridge({ withSpool: true })
  const answer = bridge.webhook(order)
  await until(() => existsSync(eventFile(bridge, 'transfer_order-17')))
  const taken = bridge.agent.call('orders.take', { transactionId: 17, observedQuantity: 0, result: 'OUT_OF_STOCK' })
  reply(bridge, 'transfer_order-17', { observedQuantity: 4, result: 'DELIVERED' })
  expect(await taken).toMatchObject({ ok: true })
  await answer
  await afterALook(bridge, () => existsSync(`${replyFile(bridge, 'transfer_order-17')}.rejected`))
  const line = await lineOf(bridge, 'a result contradicts the first one')
  expect(line).toMatchObject({ transactionId: 17, result: 'DELIVERED' })
})
