import { expect, test } from 'vitest'
import {
  nextPhase,
  type TransactionPhase,
  type TransactionTrigger,
  transactionMoves,
  transactionPhases,
  transactionTriggers,
} from '../../../contract/transaction.ts'
import { machineTime } from '../../../platform-stub/clock/machine-time.ts'
import { travelAttemptTimeoutMs } from '../../../platform-stub/clock/schedule.ts'
import { startReceiver } from '../fixtures/receiver.ts'
import { type Answer, type GameServer, startStub, type TestStub } from '../fixtures/stub.ts'
import { watchedTime } from '../fixtures/watched-time.ts'

/**
 * Every state of a transaction: the phase, and what happened on the way there. `failed` lasts no longer than its
 * refund.
 */
const standings = [
  { phase: 'awaiting-payment', way: [] },
  { phase: 'awaiting-server', way: ['pay'] },
  { phase: 'delivered', way: ['pay', 'deliver'] },
  { phase: 'failed', way: ['pay', 'fail-out-of-stock'] },
  { phase: 'disputed', way: ['pay', 'dispute'] },
  { phase: 'disputed', way: ['pay', 'deliver', 'dispute'] },
  { phase: 'completed', way: ['pay', 'deliver', 'complete'] },
  { phase: 'refunded-after-failure', way: ['pay', 'fail-out-of-stock', 'refund'] },
  { phase: 'refunded-after-dispute', way: ['pay', 'dispute', 'refund'] },
  { phase: 'refunded-after-dispute', way: ['pay', 'deliver', 'dispute', 'refund'] },
  { phase: 'expired', way: ['expire'] },
  { phase: 'cancelled', way: ['cancel'] },
] as const satisfies { phase: TransactionPhase; way: TransactionTrigger[] }[]
type Standing = (typeof standings)[number]

/** What a person outside can do. Only time completes. */
const triggers = transactionTriggers.filter((trigger) => trigger !== 'complete')

/** What a move changes besides the two axes: money, and the webhook that is queued. */
const consequences: Partial<Record<TransactionTrigger, { money?: string; event?: string }>> = {
  pay: { money: 'payment', event: 'transfer_order' },
  'fail-temporary': { event: 'transfer_order' },
  refund: { money: 'refund', event: 'transaction_terminal' },
  expire: { event: 'transaction_terminal' },
  cancel: { event: 'transaction_terminal' },
  complete: { event: 'transaction_terminal' },
}

const completionDelayMs = 3_600_000

/** A stub whose game server has no webhookUrl: deliveries are queued and stay as they are. */
async function startWorld(time = machineTime) {
  const stub = await startStub({ time, settings: { completionDelayMs, paymentExpiryMs: 30 * 86_400_000 } })
  const server = await stub.gameServer()
  await server.listing({ quantityListed: 10_000 })
  return { stub, server, [Symbol.asyncDispose]: () => stub[Symbol.asyncDispose]() }
}

function fire(stub: TestStub, server: GameServer, trigger: TransactionTrigger, transactionId: number): Promise<Answer> {
  const report = { transactionId, observedQuantity: 9_999 }
  if (trigger === 'deliver') return server.call('transaction.delivery', { transactionId })
  if (trigger === 'fail-out-of-stock')
    return server.call('transaction.delivery-failure', { ...report, reason: 'OUT_OF_STOCK' })
  if (trigger === 'fail-temporary')
    return server.call('transaction.delivery-failure', { ...report, reason: 'TEMPORARY' })
  return stub.request('POST', `/stub/transactions/${transactionId}/${trigger}`)
}

/** Everything that the platform knows about a transaction. */
async function everythingOf(stub: TestStub, transactionId: number) {
  const [record, deliveries, listings] = await Promise.all([
    stub.transaction(transactionId),
    stub.deliveries(transactionId),
    stub.request('GET', '/stub/listings'),
  ])
  return { record, deliveries, listing: listings.data[0] }
}
type Everything = Awaited<ReturnType<typeof everythingOf>>

/** Checks the state of a transaction after a trigger against the contract's table of moves. */
function hold(phase: TransactionPhase, trigger: TransactionTrigger, answer: Answer, was: Everything, is: Everything) {
  const next = nextPhase(was.record, trigger)
  const about = `${trigger} in ${phase} (${was.record.history.map((row) => row.trigger).join(', ')})`
  if (next === undefined) {
    expect([about, answer.status, answer.message]).toEqual([
      about,
      409,
      expect.stringMatching(/^A transação não permite/),
    ])
    expect(is, about).toEqual(was)
    return
  }
  expect([about, answer.status]).toEqual([about, 200])
  if (next === phase && trigger !== 'fail-temporary') {
    expect(is, about).toEqual(was)
    return
  }
  const { paymentStatus, deliveryStatus } = transactionPhases[next]
  const [moved, ...later] = is.record.history.slice(was.record.history.length)
  expect(moved, about).toMatchObject({ trigger, paymentStatus, deliveryStatus })
  const { money, event } = consequences[trigger] ?? {}
  // A refund follows an OUT_OF_STOCK at once.
  const follows = later.map((row) => row.trigger)
  expect([about, follows.filter((follower) => follower !== 'refund')]).toEqual([about, []])
  if (follows.length > 0) return
  expect([about, is.record.phase]).toEqual([about, next])
  const newMoney = is.record.money.slice(was.record.money.length).map(({ kind }) => kind)
  const newEvents = is.deliveries
    .slice(0, is.deliveries.length - was.deliveries.length)
    .map((delivery) => delivery.event)
  expect([about, newMoney, newEvents]).toEqual([about, money ? [money] : [], event ? [event] : []])
  if (transactionPhases[next].outcome === null) return
  expect(is.deliveries[0]?.payload, about).toMatchObject({ paymentStatus, deliveryStatus })
  expect(
    is.deliveries.slice(1).filter(({ state }) => state !== 'ended'),
    about,
  ).toEqual([])
}

/** Brings a transaction to a state by the moves of people outside. */
async function bring(stub: TestStub, server: GameServer, { way }: Standing): Promise<number> {
  const transactionId = await server.purchase()
  for (const trigger of way) {
    if (trigger === 'complete' || (trigger === 'refund' && way.includes('fail-out-of-stock' as never))) continue
    const { status } = await fire(stub, server, trigger, transactionId)
    expect([trigger, status]).toEqual([trigger, 200])
  }
  return transactionId
}

const lasting = standings.filter(({ phase }) => phase !== 'failed')

test('every trigger in every state moves as the table says, or is a 409 that changes nothing', async () => {
  await using world = await startWorld()
  const { stub, server } = world
  // The delivered ones that are to be completed first: completion is a matter of time, which the others are spared.
  const inOrder = [...lasting].sort((a, b) => Number(b.phase === 'completed') - Number(a.phase === 'completed'))
  for (const standing of inOrder) {
    const ids = await Promise.all(triggers.map(() => bring(stub, server, standing)))
    await stub.advance(standing.phase === 'completed' ? completionDelayMs / 1_000 : 0)
    for (const [at, trigger] of triggers.entries()) {
      const transactionId = ids[at] ?? 0
      const was = await everythingOf(stub, transactionId)
      expect(was.record.phase).toBe(standing.phase)
      const answer = await fire(stub, server, trigger, transactionId)
      hold(standing.phase, trigger, answer, was, await everythingOf(stub, transactionId))
    }
  }
})

test('the same is true between OUT_OF_STOCK and its refund', async () => {
  const watched = watchedTime()
  await using world = await startWorld(watched.time)
  const { stub, server } = world
  let release = (): void => undefined
  await using receiver = await startReceiver((_, response) => {
    release = () => response.writeHead(200).end()
  })
  const busy = await stub.gameServer({ webhookUrl: receiver.url })
  const ids = await Promise.all(triggers.map(() => server.paidTransaction()))
  // While a clock jump waits for an attempt that is under way, nothing that is due is done: the refund waits too.
  await busy.paidTransaction()
  await receiver.count(1)
  const jump = stub.advance(0)
  await watched.timer(travelAttemptTimeoutMs)
  for (const [at, trigger] of triggers.entries()) {
    const transactionId = ids[at] ?? 0
    await fire(stub, server, 'fail-out-of-stock', transactionId)
    const was = await everythingOf(stub, transactionId)
    expect(was.record.phase).toBe('failed')
    const answer = await fire(stub, server, trigger, transactionId)
    hold('failed', trigger, answer, was, await everythingOf(stub, transactionId))
  }
  release()
  await jump
  const phases = await Promise.all(ids.map(async (id) => (await stub.transaction(id)).phase))
  expect(new Set(phases)).toEqual(new Set(['refunded-after-failure']))
})

test('time completes what was delivered, and moves nothing else that is paid or over', async () => {
  await using world = await startWorld()
  const { stub, server } = world
  const ids = await Promise.all(lasting.map((standing) => bring(stub, server, standing)))
  const was = await Promise.all(ids.map((id) => everythingOf(stub, id)))
  await stub.advance(completionDelayMs / 1_000)
  for (const [at, { phase, way }] of lasting.entries()) {
    const is = await everythingOf(stub, ids[at] ?? 0)
    const before = was[at]
    if (!before) throw new Error('a state got lost')
    if (phase === 'delivered' || phase === 'completed') {
      hold('delivered', 'complete', { status: 200 } as Answer, before, is)
      const { deliveredAt, completedAt } = is.record
      expect(Date.parse(completedAt ?? '') - Date.parse(deliveredAt ?? '')).toBe(completionDelayMs)
    } else expect({ ...is, listing: null }, way.join(' ')).toEqual({ ...before, listing: null })
  }
})

test('the table of moves is complete: every phase is reached, and every trigger is tried', () => {
  expect(new Set(standings.map(({ phase }) => phase))).toEqual(new Set(Object.keys(transactionMoves)))
  expect([...triggers, 'complete'].sort()).toEqual([...transactionTriggers].sort())
})
