import fc from 'fast-check'
import { expect } from 'vitest'
import type { Answer } from '../fixtures/stub.ts'
import type { Model, ModelListing, ModelTransaction, Receiver } from './model.ts'
import { compare, type Real } from './real.ts'

type Command = fc.AsyncCommand<Model, Real>

/** A step: done to the model and to the real stub, whose answers must agree; then everything is compared. */
function step(
  name: string,
  canBe: (model: Model) => boolean,
  run: (model: Model, real: Real) => Promise<unknown>,
): Command {
  return {
    check: canBe,
    async run(model, real) {
      await run(model, real)
      await compare(model, real)
    },
    toString: () => name,
  }
}

function agree(isDone: boolean, { status, message }: Answer): void {
  expect([status, message]).toEqual(isDone ? [200, undefined] : [409, expect.stringMatching(/^[A-ZÀ-Ú].*\.$/)])
}

/** Whom a step is done to: the n-th of those that it has a place for, or the n-th of all. */
interface Target {
  readonly n: number
  readonly isLikely: boolean
}

function candidates<Item>({ isLikely }: Target, items: readonly Item[], hasPlace: (item: Item) => boolean) {
  return isLikely ? items.filter(hasPlace) : items
}

function onListing(
  name: string,
  target: Target,
  act: (model: Model, listing: ModelListing) => boolean,
  call: (real: Real, itemRef: string) => Promise<Answer>,
): Command {
  const among = ({ listings }: Model) => candidates(target, listings, ({ isWithdrawn }) => !isWithdrawn)
  const run = async (model: Model, real: Real) => {
    const listings = among(model)
    const listing = listings[target.n % listings.length] as ModelListing
    const answer = await call(real, listing.itemRef)
    agree(act(model, listing), answer)
  }
  return step(`${name} of ${nameOf(target)} listing`, (model) => among(model).length > 0, run)
}

/** The stub numbers its transactions from 1 in the order of their creation, as the model does from 0. */
function onTransaction(
  name: string,
  target: Target,
  hasPlace: (of: ModelTransaction) => boolean,
  act: (model: Model, transaction: ModelTransaction) => boolean,
  call: (real: Real, transactionId: number) => Promise<Answer>,
): Command {
  const among = ({ transactions }: Model) => candidates(target, transactions, hasPlace)
  const run = async (model: Model, real: Real) => {
    const transactions = among(model)
    const transaction = transactions[target.n % transactions.length] as ModelTransaction
    const transactionId = model.transactions.indexOf(transaction) + 1
    const answer = await call(real, transactionId)
    agree(act(model, transaction), answer)
    if (answer.data?.paymentStatus) checkAnswer(answer, transaction, transactionId)
  }
  return step(`${name} of ${nameOf(target)} transaction`, (model) => among(model).length > 0, run)
}

const nameOf = ({ n, isLikely }: Target) => `the ${n}th ${isLikely ? 'fitting' : 'of any'}`

function checkAnswer({ data }: Answer, transaction: ModelTransaction, transactionId: number): void {
  const { payment, delivery } = transaction
  // An OUT_OF_STOCK is answered before the refund that follows it.
  const isRefunding = data.refundStarted && data.paymentStatus === 'PAGO'
  const paymentStatus = isRefunding ? 'PAGO' : payment
  expect(data).toMatchObject({ transactionId, paymentStatus, deliveryStatus: delivery })
}

const failure = (reason: string, observedQuantity: number) => (real: Real, transactionId: number) =>
  real.call('transaction.delivery-failure', { transactionId, reason, observedQuantity })

const byHand = (act: string) => (real: Real, transactionId: number) => real.act(transactionId, act)

const isUnpaid = ({ payment }: ModelTransaction) => payment === 'AGUARDANDO_PAGAMENTO'
const isOrdered = ({ delivery }: ModelTransaction) => delivery === 'AGUARDANDO_SERVIDOR'
/** A report that was made before has a place too. */
const isOrderedOr = (made: string) => (of: ModelTransaction) => isOrdered(of) || of.delivery === made
const isPaid = ({ payment }: ModelTransaction) => payment === 'PAGO'
const isDisputed = ({ payment, delivery }: ModelTransaction) => payment === 'PAGO' && delivery === 'EM_DISPUTA'

function setReceiver(receiver: Receiver): Command {
  const { answers, observed } = receiver
  return step(
    `the receiver ${answers ? `answers 200, observing ${observed}` : 'answers 503'}`,
    () => true,
    async (model, real) => {
      model.receiver = receiver
      real.answer(receiver)
    },
  )
}

function advance(seconds: number): Command {
  return step(
    `${seconds} s pass`,
    () => true,
    async (model, real) => {
      await real.advance(seconds)
      model.runTo(model.nowMs + seconds * 1_000)
    },
  )
}

function advanceToDue(isJustBefore: boolean): Command {
  const seconds = (model: Model) => (model.nextDueMs() - model.nowMs - (isJustBefore ? 1 : 0)) / 1_000
  return step(
    `time passes to ${isJustBefore ? 'just before ' : ''}what is due next`,
    (model) => Number.isFinite(seconds(model)) && seconds(model) >= 0,
    async (model, real) => {
      const wait = seconds(model)
      await real.advance(wait)
      model.runTo(Math.round(model.nowMs + wait * 1_000))
    },
  )
}

function register(n: number, quantity: number): Command {
  return step(
    `register item-${n}, ${quantity} of it`,
    () => true,
    async (model, real) => {
      const answer = await real.register(`item-${n}`, quantity)
      agree(model.register(`item-${n}`, quantity), answer)
    },
  )
}

function purchase(target: Target, quantity: number): Command {
  return onListing(
    `purchase ${quantity}`,
    target,
    (model, listing) => model.purchase(listing, quantity),
    (real, itemRef) => real.call('transaction.create', { itemRef, quantity, buyerCharacterRef: 'b' }),
  )
}

const few = fc.integer({ min: 0, max: 4 })
const quantity = fc.integer({ min: 1, max: 3 })
const target = fc.record({
  n: fc.nat(20),
  isLikely: fc.oneof({ weight: 4, arbitrary: fc.constant(true) }, { weight: 1, arbitrary: fc.constant(false) }),
})
/** Waits that end at, before and after what the interface counts: retries, freshness, expiry, completion. */
const seconds = fc.oneof(
  fc.constantFrom(1, 14, 15, 30, 60),
  fc.constantFrom(600, 601, 1_200, 1_800, 3_600),
  fc.nat(4_000),
)

const steps: Readonly<Record<string, fc.Arbitrary<Command>>> = {
  register: fc.tuple(fc.nat(3), fc.integer({ min: 1, max: 9 })).map(([n, listed]) => register(n, listed)),
  purchase: fc.tuple(target, quantity).map(([of, bought]) => purchase(of, bought)),
  observe: fc.tuple(target, few).map(([of, observedQuantity]) =>
    onListing(
      `${observedQuantity} observed`,
      of,
      (model, listing) => model.observe(listing, observedQuantity),
      (real, itemRef) => real.call('market.adjust-stock', { itemRef, observedQuantity }),
    ),
  ),
  withdraw: target.map((of) =>
    onListing(
      'withdrawal',
      of,
      (model, listing) => model.withdraw(listing),
      (real, itemRef) => real.call('market.withdraw', { itemRef }),
    ),
  ),
  pay: target.map((of) => onTransaction('payment', of, isUnpaid, (model, it) => model.pay(it), byHand('pay'))),
  cancel: target.map((of) =>
    onTransaction('cancellation', of, isUnpaid, (model, it) => model.end(it, 'CANCELADO'), byHand('cancel')),
  ),
  expire: target.map((of) =>
    onTransaction('expiry', of, isUnpaid, (model, it) => model.end(it, 'EXPIRADO'), byHand('expire')),
  ),
  deliver: target.map((of) =>
    onTransaction(
      'delivery',
      of,
      isOrderedOr('ENTREGUE'),
      (model, it) => model.deliver(it),
      (real, transactionId) => real.call('transaction.delivery', { transactionId }),
    ),
  ),
  failForGood: fc
    .tuple(target, few)
    .map(([of, observed]) =>
      onTransaction(
        `OUT_OF_STOCK (${observed} seen)`,
        of,
        isOrderedOr('FALHOU'),
        (model, it) => model.failForGood(it, observed),
        failure('OUT_OF_STOCK', observed),
      ),
    ),
  failForNow: fc
    .tuple(target, few)
    .map(([of, observed]) =>
      onTransaction(
        `TEMPORARY (${observed} seen)`,
        of,
        isOrdered,
        (model, it) => model.failForNow(it, observed),
        failure('TEMPORARY', observed),
      ),
    ),
  dispute: target.map((of) =>
    onTransaction('dispute', of, isPaid, (model, it) => model.dispute(it), byHand('dispute')),
  ),
  rejectDispute: target.map((of) =>
    onTransaction('rejection', of, isDisputed, (model, it) => model.rejectDispute(it), byHand('reject-dispute')),
  ),
  refundDispute: target.map((of) =>
    onTransaction('refund', of, isDisputed, (model, it) => model.refundDispute(it), byHand('refund')),
  ),
  receiver: fc.tuple(fc.boolean(), fc.option(few)).map(([answers, observed]) => setReceiver({ answers, observed })),
  /** To the moment at which the next thing is due, or the millisecond before it. */
  advanceToDue: fc.boolean().map(advanceToDue),
  advance: seconds.map(advance),
}

/** How often each step is drawn, compared with the others. */
const weights: Readonly<Record<string, number>> = { purchase: 3, pay: 4, withdraw: 0.3, deliver: 2, failForNow: 2 }

// Drawn for each step by weight: `fc.commands` itself draws evenly.
const anyStep = fc.oneof(
  ...Object.entries(steps).map(([name, arbitrary]) => ({ arbitrary, weight: Math.round((weights[name] ?? 1) * 10) })),
)

export const commands = fc.commands([anyStep], { maxCommands: 100, size: 'max' })
