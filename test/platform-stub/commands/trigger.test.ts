import { expect, test } from 'vitest'
import { scenario } from '../../../platform-stub/developer/scenarios/scenario.ts'
import { staging } from '../fixtures/many-orders.ts'
import { run } from '../fixtures/process.ts'
import { answering, startReceiver } from '../fixtures/receiver.ts'
import { offer, startStub } from '../fixtures/stub.ts'

/** A stub with a listing of a game server whose key it has, and `platform-stub trigger` for it. */
async function setup(reply = answering(200, { observedQuantity: 4 })) {
  await using started = new AsyncDisposableStack()
  const stub = started.use(await startStub())
  const receiver = started.use(await startReceiver(reply))
  const server = await stub.gameServer({ keyFrom: 'stub', webhookUrl: receiver.url })
  await server.listing({ itemRef: 'sword-1' })
  const running = started.move()
  return {
    stub,
    receiver,
    trigger: (...args: string[]) => run('trigger', ...args, '--url', stub.url),
    /** Buys with the shell, and answers the number of the purchase. */
    async buy(): Promise<number> {
      const { stdout } = await run('trigger', 'buy', '--item-ref', 'sword-1', '--buyer', 'char-2', '--url', stub.url)
      return (JSON.parse(stdout) as { transactionId: number }).transactionId
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  }
}

test('a sale is made from a shell: bought, paid, delivered; each answer is printed', async () => {
  await using opened = await setup()
  const { code, stdout } = await opened.trigger('buy', '--buyer', 'char-2')
  expect(code).toBe(0)
  expect(JSON.parse(stdout)).toMatchObject({ itemRef: 'sword-1', quantity: 1, buyerCharacterRef: 'char-2' })
  // Without a number each is about the newest purchase.
  expect(JSON.parse((await opened.trigger('pay')).stdout)).toMatchObject({ deliveryStatus: 'AGUARDANDO_SERVIDOR' })
  await opened.receiver.event('transfer_order')
  expect(JSON.parse((await opened.trigger('deliver')).stdout)).toMatchObject({ deliveryStatus: 'ENTREGUE' })
})

test('whatever buyer, time, staff and game server can do is done to the purchase that is named', async () => {
  await using opened = await setup()
  const steps: readonly [events: readonly (readonly string[])[], end: object][] = [
    [[['cancel']], { paymentStatus: 'CANCELADO' }],
    [[['expire']], { paymentStatus: 'EXPIRADO' }],
    [
      [['pay'], ['fail', '--reason', 'OUT_OF_STOCK', '--observed-quantity', '0', '--detail', 'sold']],
      { deliveryStatus: 'FALHOU' },
    ],
    [[['pay'], ['dispute'], ['reject-dispute']], { deliveryStatus: 'AGUARDANDO_SERVIDOR' }],
    [[['pay'], ['dispute'], ['refund']], { paymentStatus: 'ESTORNADO' }],
  ]
  const { stub } = opened
  const purchases: number[] = []
  for (const _ of steps) purchases.push(await opened.buy())
  // From the last one: the stock that a failure reports refuses the payment of each purchase after it.
  for (const [at, [events, end]] of [...steps.entries()].reverse()) {
    for (const [event = '', ...flags] of events) {
      const { code, stderr } = await opened.trigger(event, '--transaction-id', String(purchases[at]), ...flags)
      expect([event, code, stderr]).toEqual([event, 0, ''])
    }
    expect(await stub.transaction(purchases[at] ?? 0)).toMatchObject(end)
  }
})

test('a test event is sent to the receiver that is named, and its refusal ends with 1', async () => {
  await using opened = await setup()
  await using other = await startReceiver(answering(503))
  expect((await opened.trigger('transfer_order', '--item-ref', 'offer-9')).code).toBe(0)
  expect((await opened.receiver.event('transfer_order')).event).toMatchObject({ itemRef: 'offer-9', quantity: 1 })
  const refused = await opened.trigger('transaction_terminal', '--outcome', 'ESTORNADA', '--webhook-url', other.url)
  expect(refused.code).toBe(1)
  expect(JSON.parse(refused.stdout)).toMatchObject({ responseStatus: 503 })
  expect((await other.event('transaction_terminal')).event).toMatchObject({ paymentStatus: 'ESTORNADO' })
})

test('a webhook is sent again, or once to another address; a receiver that refuses it ends with 1', async () => {
  await using opened = await setup()
  await using other = await startReceiver()
  await opened.buy()
  await opened.trigger('pay')
  await opened.receiver.event('transfer_order')
  const elsewhere = ['resend', '--webhook-url', other.url]
  const again = ['resend', '--webhook-id', '1']
  expect((await opened.trigger(...elsewhere)).code).toBe(0)
  await other.event('transfer_order')
  expect((await opened.trigger(...again)).code).toBe(0)
  expect(opened.receiver.received).toHaveLength(2)
  for (const receiver of [opened.receiver, other]) receiver.reply(answering(503))
  const refusedElsewhere = await opened.trigger(...elsewhere)
  expect(refusedElsewhere.code).toBe(1)
  expect(JSON.parse(refusedElsewhere.stdout).sentElsewhere[0]).toMatchObject({ responseStatus: 503 })
  const refused = await opened.trigger(...again)
  expect(refused.code).toBe(1)
  expect(JSON.parse(refused.stdout).attempts.at(-1)).toMatchObject({ responseStatus: 503 })
})

test('a webhook that waits for an address is not sent again, which ends with 1', async () => {
  await using opened = await setup()
  const { stub } = opened
  await stub.request('PUT', '/stub/game-servers/1', { webhookUrl: null })
  await opened.buy()
  await opened.trigger('pay')
  const { code, stdout } = await opened.trigger('resend')
  expect([code, JSON.parse(stdout)]).toEqual([1, expect.objectContaining({ state: 'pending', attempts: [] })])
})

test('any listing can be bought from by its itemRef, however many are newer', async () => {
  const listings = Array.from({ length: 1_100 }, (_, at) => ({
    ...offer,
    itemRef: `offer-${at}`,
    sellerCharacterRef: 'seller',
  }))
  const described = scenario.parse({ gameServers: [{ name: 'Aurora', listings }] })
  await using stub = await startStub({ prepare: staging(described) })
  const { code, stdout } = await run('trigger', 'buy', '--item-ref', 'offer-3', '--buyer', 'c', '--url', stub.url)
  expect([code, JSON.parse(stdout || '{}').itemRef]).toEqual([0, 'offer-3'])
  const found = async (query: string) => (await stub.request('GET', `/stub/listings?${query}`)).data
  expect(await found('itemRef=offer-3')).toMatchObject([{ itemRef: 'offer-3', quantitySold: 0 }])
  expect(await found('itemRef=none')).toEqual([])
})

test('what cannot be done ends with 1 and says why; what is missing ends with 2', async () => {
  await using opened = await setup()
  expect(await opened.trigger('pay')).toMatchObject({
    code: 1,
    stderr: `platform-stub: ${opened.stub.url} has no transactions yet\n`,
  })
  expect(await opened.trigger('buy', '--item-ref', 'none', '--buyer', 'c')).toMatchObject({
    code: 1,
    stderr: `platform-stub: ${opened.stub.url} has no listing of none\n`,
  })
  const unknown = await opened.trigger('cancel', '--transaction-id', '99')
  expect(unknown).toMatchObject({ code: 1, stderr: expect.stringContaining('refused (404)') })
  expect(await opened.trigger('fail', '--observed-quantity', '0')).toMatchObject({ code: 2, stdout: '' })
  expect((await opened.trigger('cancel', '--transaction-id', 'one')).code).toBe(2)
})
