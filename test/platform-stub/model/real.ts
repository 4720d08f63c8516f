import { expect } from 'vitest'
import type { PlatformOperationName } from '../../../contract/operations.ts'
import { manualTime } from '../fixtures/manual-time.ts'
import { answering, startReceiver } from '../fixtures/receiver.ts'
import { type Answer, startStub } from '../fixtures/stub.ts'
import { type Model, type ModelListing, type ModelTransaction, type Receiver, settings } from './model.ts'

const unitAmountCents = 250

/** The real stub with a game server and its receiver, on a clock that only the test moves. */
export async function startReal() {
  const { time, pass } = manualTime()
  const receiver = await startReceiver(answering(200))
  const stub = await startStub({ time, settings })
  const server = await stub.gameServer({ webhookUrl: receiver.url })
  const sellerCharacterRef = await server.seller()
  const call = (name: PlatformOperationName, input: Record<string, unknown>) => server.call(name, input)
  return {
    /** How often it was compared. */
    steps: 0,
    nowMs: time.nowMs,
    call,
    register: (itemRef: string, quantityListed: number) =>
      call('market.register', {
        itemRef,
        gameItemId: 'g',
        itemName: 'n',
        attributes: 'a',
        quantityListed,
        unitAmountCents,
        sellerCharacterRef,
      }),
    act: (transactionId: number, act: string): Promise<Answer> =>
      stub.request('POST', `/stub/transactions/${transactionId}/${act}`),
    answer({ answers, observed }: Receiver): void {
      receiver.reply(
        answers ? answering(200, observed === null ? undefined : { observedQuantity: observed }) : answering(503),
      )
    },
    /** Ends when everything that is due by then is done. */
    async advance(seconds: number): Promise<void> {
      expect((await stub.request('PUT', '/stub/clock', { advanceSeconds: seconds })).status).toBe(200)
    },
    async list(name: string) {
      return (await stub.request('GET', `/stub/${name}?limit=1000`)).data.reverse()
    },
    async [Symbol.asyncDispose]() {
      const closed = stub[Symbol.asyncDispose]()
      pass(60_000)
      await closed
      await receiver[Symbol.asyncDispose]()
    },
  }
}
export type Real = Awaited<ReturnType<typeof startReal>>

const pairs = [
  'AGUARDANDO_PAGAMENTO null',
  'PAGO AGUARDANDO_SERVIDOR',
  'PAGO ENTREGUE',
  'PAGO FALHOU',
  'PAGO EM_DISPUTA',
  'ESTORNADO FALHOU',
  'ESTORNADO EM_DISPUTA',
  'EXPIRADO null',
  'CANCELADO null',
]

/** Does everything that is due. Then it compares all that the stub shows with the model, and checks its ledger. */
export async function compare(model: Model, real: Real): Promise<void> {
  real.steps++
  await real.advance(0)
  model.runTo(model.nowMs)
  const [transactions, listings, webhooks] = await Promise.all(['transactions', 'listings', 'webhooks'].map(real.list))
  expect(transactions.map(shownTransaction)).toEqual(model.transactions.map(expectedTransaction))
  expect(listings.map(shownListing)).toEqual(model.listings.map((listing) => expectedListing(model, listing)))
  const deliveriesOf = (transactionId: number) =>
    webhooks
      .filter((delivery: { transactionId: number }) => delivery.transactionId === transactionId)
      .map(shownDelivery)
  expect(transactions.map(({ transactionId }: { transactionId: number }) => deliveriesOf(transactionId))).toEqual(
    model.transactions.map(({ deliveries }) =>
      deliveries.map(({ event, state, attempts, nextMs }) => ({ event, state, attempts, next: isoOf(nextMs) })),
    ),
  )
  checkLedger(transactions, listings)
}

// biome-ignore lint/suspicious/noExplicitAny: what the stub shows is compared whole.
type Shown = any

const isoOf = (unixMs: number | null) => (unixMs === null ? null : new Date(unixMs).toISOString())

function shownTransaction(shown: Shown) {
  const { itemRef, quantity, paymentStatus, deliveryStatus, expiresAt, paidAt, deliveredAt, completedAt } = shown
  const { failureReason, retryAt } = shown
  const states = { paymentStatus, deliveryStatus, failureReason, retryAt }
  return { itemRef, quantity, ...states, expiresAt, paidAt, deliveredAt, completedAt }
}

function expectedTransaction(of: ModelTransaction): ReturnType<typeof shownTransaction> {
  return {
    itemRef: of.listing.itemRef,
    quantity: of.quantity,
    paymentStatus: of.payment,
    deliveryStatus: of.delivery,
    failureReason: of.failure,
    retryAt: isoOf(of.retryMs),
    expiresAt: isoOf(of.expiresMs),
    paidAt: isoOf(of.paidMs),
    deliveredAt: isoOf(of.deliveredMs),
    completedAt: isoOf(of.completedMs),
  }
}

function shownListing({ itemRef, status, quantitySold, observedQuantity, observedAt, estimate }: Shown) {
  return { itemRef, status, quantitySold, observedQuantity, observedAt, available: estimate.available }
}

function expectedListing(model: Model, listing: ModelListing): ReturnType<typeof shownListing> {
  return {
    itemRef: listing.itemRef,
    status: listing.isWithdrawn ? 'WITHDRAWN' : 'ACTIVE',
    quantitySold: model.sold(listing),
    observedQuantity: listing.observed?.quantity ?? null,
    observedAt: isoOf(listing.observed?.atMs ?? null),
    available: model.available(listing),
  }
}

function shownDelivery({ event, state, attempts, nextAttemptAt }: Shown) {
  return { event, state, attempts: attempts.length, next: nextAttemptAt }
}

/** What has to be true of the stub's own figures, whatever the model thinks. */
function checkLedger(transactions: Shown[], listings: Shown[]): void {
  for (const { paymentStatus, deliveryStatus, paidAt, money, totalAmountCents, quantity } of transactions) {
    expect(pairs).toContain(`${paymentStatus} ${deliveryStatus}`)
    expect(totalAmountCents).toBe(quantity * unitAmountCents)
    const kinds = money.map(({ kind, amountCents }: Shown) => `${kind} ${amountCents}`)
    const payment = paidAt === null ? [] : [`payment ${totalAmountCents}`]
    const refund = paymentStatus === 'ESTORNADO' ? [`refund ${totalAmountCents}`] : []
    expect(kinds).toEqual([...payment, ...refund])
  }
  for (const { id, quantitySold } of listings) {
    const kept = transactions.filter(({ listingId, paymentStatus }) => listingId === id && paymentStatus === 'PAGO')
    expect(quantitySold).toBe(kept.reduce((sum: number, { quantity }) => sum + quantity, 0))
  }
}
