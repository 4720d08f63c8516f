import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { until } from '../../../scripts/until.ts'
import { answering, startReceiver } from '../../platform-stub/fixtures/receiver.ts'
import { end, order } from '../fixtures/events.ts'
import { namesIn } from '../fixtures/spool-fixture.ts'
import { startTestBridge, type TestBridge } from '../fixtures/test-bridge.ts'

const eventFile = ({ spoolDir }: TestBridge, name: string) => join(spoolDir, 'events', `${name}.json`)

/** Replies as a careful game server does: written under another name, then renamed. */
function reply({ spoolDir }: TestBridge, name: string, value: unknown): void {
  const path = join(spoolDir, 'replies', `${name}.json`)
  writeFileSync(`${path}.tmp`, JSON.stringify(value))
  renameSync(`${path}.tmp`, path)
}

interface Heartbeat {
  readonly at: string
  readonly reasons: readonly string[]
  readonly events: readonly string[]
}

async function nextHeartbeat({ spoolDir, clock }: TestBridge): Promise<Heartbeat> {
  const read = (): Heartbeat => JSON.parse(readFileSync(join(spoolDir, 'agent.json'), 'utf8'))
  const { at } = read()
  return until(async () => {
    clock.advance(5_001)
    const heartbeat = read()
    return heartbeat.at !== at && heartbeat
  })
}

/** Why the agent is not ready, by its next heartbeat. */
async function reasons(bridge: TestBridge): Promise<readonly string[]> {
  return (await nextHeartbeat(bridge)).reasons
}

test('a game server that fails is offered the order again after a second and takes it with the platform still waiting', async () => {
  await using receiver = await startReceiver(answering(500))
  await using bridge = await startTestBridge({ forwardUrl: receiver.url })
  const answer = bridge.webhook(order)
  await receiver.count(1)
  receiver.reply(answering(200, { data: { observedQuantity: 6 } }))
  await until(async () => (await bridge.orders()).open[0]?.['offers'] === 1)
  bridge.clock.advance(1_001)
  expect(await answer).toEqual({ status: 200, body: { observedQuantity: 6 } })
  const sent = receiver.received[1]
  expect(sent?.event).toEqual(order)
  expect(sent?.headers).toMatchObject({ 'content-type': 'application/json' })
  expect(sent?.headers['x-platform-signature']).toBeUndefined()
})

test('a 2xx without an observation is not a reply, and the log says what to answer', async () => {
  await using receiver = await startReceiver(answering(200, { ok: true }))
  await using bridge = await startTestBridge({ forwardUrl: receiver.url })
  const answer = bridge.webhook(order)
  await until(async () => bridge.agent.logLines().some(({ msg }) => msg.startsWith('the game server did not take')))
  bridge.clock.advance(9_001)
  expect((await answer).status).toBe(503)
  expect(bridge.agent.logLines().find(({ msg }) => msg.startsWith('the game server did not take'))).toMatchObject({
    cure: 'answer a transfer_order with {"observedQuantity": n, "result": "DELIVERED"}',
  })
})

test('the end of a transaction is handed over until the game server answers 2xx', async () => {
  await using receiver = await startReceiver(answering(503))
  await using bridge = await startTestBridge({ forwardUrl: receiver.url })
  await bridge.webhook(end)
  await receiver.count(1)
  await bridge.restart()
  await receiver.count(2)
  receiver.reply(answering(204))
  await until(async () => {
    bridge.clock.advance(1_001)
    return bridge.agent.logLines().some(({ msg }) => msg === 'terminal event handed on to the game server')
  })
  const { length } = receiver.received
  await bridge.restart()
  await bridge.orders()
  expect(receiver.received).toHaveLength(length)
})

test('an order is a file until its reply is in the ledger, and then neither file is there', async () => {
  await using bridge = await startTestBridge({ withSpool: true })
  const answer = bridge.webhook({ ...order, buyerCharacterRef: 'Zé' })
  const text = await until(() => readFileSync(eventFile(bridge, 'transfer_order-17'), 'utf8'))
  expect(text).toContain('Z\\u00e9')
  const { actUntil, ...event } = JSON.parse(text)
  expect(event).toEqual({ ...order, buyerCharacterRef: 'Zé' })
  expect(Date.parse(actUntil) - bridge.clock.wallMs()).toBeGreaterThan(110_000)
  expect(Date.parse(actUntil) - bridge.clock.wallMs()).toBeLessThanOrEqual(120_000)
  reply(bridge, 'transfer_order-17', { observedQuantity: 2 })
  expect(await answer).toEqual({ status: 200, body: { observedQuantity: 2 } })
  await until(() => namesIn(join(bridge.spoolDir, 'events')).length === 0)
  expect(namesIn(join(bridge.spoolDir, 'replies'))).toEqual([])
})

test('agent.json has the names of the events that wait, for languages that cannot list a folder', async () => {
  await using bridge = await startTestBridge({ withSpool: true })
  const answer = bridge.webhook(order)
  await until(() => readFileSync(eventFile(bridge, 'transfer_order-17')))
  expect(await nextHeartbeat(bridge)).toMatchObject({ events: ['transfer_order-17.json'] })
  reply(bridge, 'transfer_order-17', { observedQuantity: 2 })
  await answer
  await until(() => namesIn(join(bridge.spoolDir, 'events')).length === 0)
  expect(await nextHeartbeat(bridge)).toMatchObject({ events: [] })
})

test('an event is one line without blanks, whatever the layout of the webhook is', async () => {
  await using bridge = await startTestBridge({ withSpool: true })
  const answer = bridge.webhook(JSON.stringify({ ...order, buyerCharacterRef: 'Ana "A" : 1' }, null, 2))
  const text = await until(() => readFileSync(eventFile(bridge, 'transfer_order-17'), 'utf8'))
  const { actUntil } = JSON.parse(text)
  expect(text).toBe(`${JSON.stringify({ ...order, buyerCharacterRef: 'Ana "A" : 1', actUntil })}\n`)
  reply(bridge, 'transfer_order-17', { observedQuantity: 2 })
  expect(await answer).toEqual({ status: 200, body: { observedQuantity: 2 } })
})

test('the end of a transaction removes the file of its order and is a file itself until {} is the reply', async () => {
  await using bridge = await startTestBridge({ withSpool: true })
  const answer = bridge.webhook(order)
  await until(() => readFileSync(eventFile(bridge, 'transfer_order-17')))
  await bridge.webhook(end)
  await answer
  const text = await until(() => readFileSync(eventFile(bridge, 'transaction_terminal-17'), 'utf8'))
  expect(JSON.parse(text)).toEqual({ ...end, outcome: 'ESTORNADA', reported: null })
  expect(namesIn(join(bridge.spoolDir, 'events'))).toEqual(['transaction_terminal-17.json'])
  reply(bridge, 'transaction_terminal-17', {})
  await until(() => namesIn(join(bridge.spoolDir, 'events')).length === 0)
})

test('an old reply does not answer the order that comes again after TEMPORARY', async () => {
  await using bridge = await startTestBridge({ withSpool: true })
  const first = bridge.webhook(order)
  await until(() => readFileSync(eventFile(bridge, 'transfer_order-17')))
  reply(bridge, 'transfer_order-17', { observedQuantity: 2 })
  await first
  const failure = { transactionId: 17, reason: 'TEMPORARY', observedQuantity: 2 }
  expect(await bridge.agent.call('transaction.delivery-failure', failure)).toMatchObject({ ok: true })
  const again = bridge.webhook(order)
  await until(() => readFileSync(eventFile(bridge, 'transfer_order-17-2')))
  reply(bridge, 'transfer_order-17', { observedQuantity: 9 })
  await until(() => readFileSync(join(bridge.spoolDir, 'replies', 'transfer_order-17.json.rejected')))
  expect((await bridge.orders()).open).toMatchObject([{ state: 'offered' }])
  reply(bridge, 'transfer_order-17-2', { observedQuantity: 1 })
  expect(await again).toEqual({ status: 200, body: { observedQuantity: 1 } })
})

test('what a killed agent has left half-written in events/ and replies/ goes at the next start, and nothing else', async () => {
  await using bridge = await startTestBridge({ withSpool: true })
  const dirs = ['events', 'replies'].map((dir) => join(bridge.spoolDir, dir))
  for (const dir of dirs)
    for (const name of [`.${'0a'.repeat(16)}.tmp`, '.theirs.tmp']) writeFileSync(join(dir, name), '{')
  await bridge.restart()
  expect(dirs.map((dir) => readdirSync(dir))).toEqual([['.theirs.tmp'], ['.theirs.tmp']])
})

test('an order whose reply was written while no agent ran is offered again, because the game server may have lost it since', async () => {
  await using bridge = await startTestBridge({ withSpool: true })
  const answer = bridge.webhook(order)
  await until(() => readFileSync(eventFile(bridge, 'transfer_order-17')))
  bridge.clock.advance(9_001)
  await answer
  await bridge.agent.close()
  reply(bridge, 'transfer_order-17', { observedQuantity: 2 })
  await bridge.restart()
  const again = await until(() => readFileSync(eventFile(bridge, 'transfer_order-17-2'), 'utf8'))
  expect(JSON.parse(again)).toMatchObject(order)
})

test('a reply that was written while no agent ran answers the platform, and files of what is over go', async () => {
  await using bridge = await startTestBridge({ withSpool: true })
  const answer = bridge.webhook(order)
  await until(() => readFileSync(eventFile(bridge, 'transfer_order-17')))
  bridge.clock.advance(9_001)
  await answer
  await bridge.agent.close()
  reply(bridge, 'transfer_order-17', { observedQuantity: 2 })
  rmSync(eventFile(bridge, 'transfer_order-17'))
  const disputed = { transactionId: 17, paymentStatus: 'PAGO', deliveryStatus: 'EM_DISPUTA' }
  bridge.platform.reply = () => ({ status: 200, body: JSON.stringify({ data: disputed }) })
  for (const dir of ['events', 'replies']) writeFileSync(join(bridge.spoolDir, dir, 'transfer_order-16.json'), '{}')
  await bridge.restart()
  expect(await bridge.webhook(order)).toEqual({ status: 200, body: { observedQuantity: 2 } })
  expect((await bridge.orders()).open).toMatchObject([{ offers: 1 }])
  await until(() => namesIn(join(bridge.spoolDir, 'events')).length === 0)
  expect(namesIn(join(bridge.spoolDir, 'replies'))).toEqual([])
  expect(bridge.agent.logLines().some(({ msg }) => msg.startsWith('orders cannot be handed over'))).toBe(false)
})

test('a reply that is half-written is read again, and a file that is still not a valid reply after 2 s is set aside', async () => {
  await using bridge = await startTestBridge({ withSpool: true })
  const answer = bridge.webhook(order)
  await until(() => readFileSync(eventFile(bridge, 'transfer_order-17')))
  const path = join(bridge.spoolDir, 'replies', 'transfer_order-17.json')
  writeFileSync(path, '{"observedQua')
  await until(() => bridge.clock.delaysMs.length > 0)
  writeFileSync(path, '{"observedQuantity":5}')
  expect(await answer).toEqual({ status: 200, body: { observedQuantity: 5 } })
  const next = bridge.webhook({ ...order, transactionId: 18 })
  await until(() => readFileSync(eventFile(bridge, 'transfer_order-18')))
  writeFileSync(join(bridge.spoolDir, 'replies', 'transfer_order-18.json'), '{"observedQuantity":-1}')
  await until(() => {
    bridge.clock.advance(250)
    return readdirSync(join(bridge.spoolDir, 'replies')).includes('transfer_order-18.json.rejected')
  })
  bridge.clock.advance(9_001)
  expect((await next).status).toBe(503)
})

test('names in replies/ that were probably meant for replies are reported once, with their cure; temporary names are not', async () => {
  await using bridge = await startTestBridge({ withSpool: true })
  const names = ['transfer_order-17.JSON', 'resposta.json', 'transfer_order_17.json', 'x.txt', '.y.json', 'x.tmp']
  await until(() => readdirSync(join(bridge.spoolDir, 'replies')))
  for (const name of names) writeFileSync(join(bridge.spoolDir, 'replies', name), '{}')
  const ignored = () => bridge.agent.logLines().filter(({ msg }) => msg === 'ignored in the spool')
  await until(() => {
    bridge.clock.advance(250)
    return ignored().length === 4
  })
  bridge.clock.advance(2_000)
  expect(ignored().map(({ name }) => name)).toEqual(expect.arrayContaining(names.slice(0, 4)))
  for (const line of ignored()) {
    expect(line['why']).toBe('not-a-reply-name')
    expect(line['cure']).toContain('the name of its event')
  }
})

test('nothing is written or read behind a link, and the log says what to do', async () => {
  await using bridge = await startTestBridge({ withSpool: true })
  const elsewhere = join(bridge.spoolDir, 'elsewhere')
  mkdirSync(elsewhere)
  await until(() => readdirSync(join(bridge.spoolDir, 'events')))
  rmSync(join(bridge.spoolDir, 'events'), { recursive: true })
  symlinkSync(elsewhere, join(bridge.spoolDir, 'events'))
  const answer = bridge.webhook(order)
  await until(() => bridge.agent.logLines().some(({ cause }) => /is a link/.test(String(cause))))
  bridge.clock.advance(9_001)
  expect((await answer).status).toBe(503)
  expect(readdirSync(elsewhere)).toEqual([])
  const isLink = (reason: string) => /events is a link/.test(reason)
  expect((await reasons(bridge)).filter(isLink)).toHaveLength(1)
  rmSync(join(bridge.spoolDir, 'events'))
  await until(async () => !(await reasons(bridge)).some(isLink))
})

test('a group that may not write in events or replies is a reason in agent.json, with its cure', async () => {
  await using bridge = await startTestBridge({ withSpool: true })
  const replies = join(bridge.spoolDir, 'replies')
  await until(() => readdirSync(replies))
  chmodSync(bridge.spoolDir, 0o2770)
  for (const dir of ['outbox', 'inbox', 'events', 'replies']) chmodSync(join(bridge.spoolDir, dir), 0o2770)
  expect(await reasons(bridge)).not.toContainEqual(expect.stringContaining('may not write'))
  chmodSync(replies, 0o755)
  expect(await reasons(bridge)).toContainEqual(
    expect.stringMatching(/may not write in \S+replies\. Run: chgrp .* chmod g\+rwxs/),
  )
})

test('a reply that is a link is set aside as one, and what was set aside goes after a day', async () => {
  await using bridge = await startTestBridge({ withSpool: true })
  const answer = bridge.webhook(order)
  await until(() => readFileSync(eventFile(bridge, 'transfer_order-17')))
  const replies = join(bridge.spoolDir, 'replies')
  symlinkSync('elsewhere', join(replies, 'transfer_order-17.json'))
  await until(() => {
    bridge.clock.advance(250)
    return namesIn(replies).includes('transfer_order-17.json.rejected')
  })
  const aside = () => bridge.agent.logLines().find(({ msg }) => msg === 'reply set aside')
  await until(async () => aside() !== undefined)
  expect(aside()).toMatchObject({ name: 'transfer_order-17.json', reason: 'it is not a regular file' })
  rmSync(join(replies, 'transfer_order-17.json.rejected'))
  writeFileSync(join(replies, 'transfer_order-16.json'), '{}')
  await until(() => namesIn(replies).includes('transfer_order-16.json.rejected'))
  // Somebody sets the wall clock. No window ends earlier for that.
  bridge.clock.wallOffsetMs += 365 * 24 * 3_600_000
  bridge.clock.advance(20 * 3_600_000)
  await bridge.orders()
  expect(namesIn(replies)).toEqual(['transfer_order-16.json.rejected'])
  await until(() => {
    bridge.clock.advance(3_600_000)
    return namesIn(replies).length === 0
  })
  await answer
})

test('a directory of replies that cannot be looked into does not end the agent', async () => {
  await using bridge = await startTestBridge({ withSpool: true })
  const replies = join(bridge.spoolDir, 'replies')
  rmSync(replies, { recursive: true })
  symlinkSync(replies, replies)
  const answer = bridge.webhook(order)
  await until(async () => (await bridge.orders()).open.length === 1)
  bridge.clock.advance(9_001)
  expect((await answer).status).toBe(503)
  rmSync(replies)
  await until(() => {
    bridge.clock.advance(1_001)
    return readFileSync(eventFile(bridge, 'transfer_order-17'))
  })
})

test('orders.open and orders.take work by file, each time again under the same name', async () => {
  await using bridge = await startTestBridge({ withSpool: true })
  const ask = async (id: string, request: object) => {
    const [outbox, inbox] = [join(bridge.spoolDir, 'outbox'), join(bridge.spoolDir, 'inbox')]
    writeFileSync(join(outbox, `${id}.tmp`), JSON.stringify(request))
    renameSync(join(outbox, `${id}.tmp`), join(outbox, `${id}.json`))
    const answer = await until(() => JSON.parse(readFileSync(join(inbox, `${id}.json`), 'utf8')))
    rmSync(join(inbox, `${id}.json`))
    return answer
  }
  expect(await ask('poll', { action: 'orders.open' })).toEqual({
    ...{ id: 'poll', ok: true, orders: [], closed: [], more: false },
  })
  const answer = bridge.webhook(order)
  await until(() => readFileSync(eventFile(bridge, 'transfer_order-17')))
  expect(await ask('poll', { action: 'orders.open' })).toMatchObject({ orders: [{ transactionId: 17, quantity: 2 }] })
  const take = { action: 'orders.take', transactionId: 17, observedQuantity: 3 }
  expect(await ask('take', take)).toMatchObject({ ok: true, transactionId: 17, state: 'taken' })
  expect(await ask('take', take)).toMatchObject({ ok: true, transactionId: 17, state: 'taken' })
  expect(await answer).toEqual({ status: 200, body: { observedQuantity: 3 } })
})

test('an unknown order cannot be taken, nor a closed one, and without a bridge there are none', async () => {
  await using bridge = await startTestBridge()
  await bridge.webhook(end)
  const take = (transactionId: number) => bridge.agent.call('orders.take', { transactionId, observedQuantity: 1 })
  expect(await take(16)).toMatchObject({ ok: false, status: 404 })
  expect(await take(17)).toMatchObject({ ok: false, status: 409 })
  await using without = await startTestBridge({ config: { webhook: undefined } })
  expect(await without.agent.call('orders.open', {})).toMatchObject({ ok: false, status: 503 })
})

test('a stop answers the platform 503 at once, and a reply that still comes is kept', async () => {
  const held = Promise.withResolvers<void>()
  await using receiver = await startReceiver(async (webhook, response) => {
    await held.promise
    answering(200, { observedQuantity: 4 })(webhook, response)
  })
  await using bridge = await startTestBridge({ forwardUrl: receiver.url })
  const answer = bridge.webhook(order)
  await receiver.count(1)
  const closed = bridge.agent.close()
  expect((await answer).status).toBe(503)
  held.resolve()
  await closed
  expect(bridge.agent.logLines().map(({ msg }) => msg)).toContain('order taken by the game server')
})
