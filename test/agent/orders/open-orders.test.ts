import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  isWaiting,
  nextEffects,
  type OpenOrder,
  type OpenOrderLimits,
  openOrder,
  proofMs,
  reportDelayMs,
  retryDelayMs,
} from '../../../agent/orders/open-orders.ts'
import { newOrder } from '../../../agent/orders/order.ts'
import { awaitsReply, orderPhases } from '../../../agent/orders/order-moves.ts'
import { order as paid } from '../fixtures/events.ts'

const nowMs = 1_000_000
const platformMs = 5_000_000
const limits: OpenOrderLimits = { channel: 'url', slots: { orders: 8, terminalEvents: 2, reports: 8 } }

const state = fc.oneof(
  fc.record({
    at: fc.constantFrom('due' as const, 'shown' as const),
    atMs: fc.constantFrom(nowMs - 1, nowMs, nowMs + 1),
  }),
  fc.record({ at: fc.constantFrom('ask' as const, 'push' as const, 'report' as const, 'reply' as const) }),
)
const table: fc.Arbitrary<readonly OpenOrder[]> = fc
  .array(
    fc.record({
      phase: fc.constantFrom(...orderPhases.filter((phase) => phase !== 'closed')),
      retryAtMs: fc.constantFrom(null, platformMs - 1, platformMs, platformMs + 1),
      provenMs: fc.constantFrom(Number.NEGATIVE_INFINITY, nowMs - proofMs - 1, nowMs - proofMs, nowMs),
      state,
    }),
    { maxLength: 40 },
  )
  .map((all) =>
    all.map(({ phase, retryAtMs, provenMs, state: one }, n) => {
      const order = { ...newOrder({ ...paid, transactionId: n + 1 }, JSON.stringify(paid), 1), phase, retryAtMs }
      return { ...openOrder(order, nowMs), provenMs, ...one }
    }),
  )
const way = fc.constantFrom('url' as const, 'files' as const, 'asking' as const)
const effectsOf = (all: readonly OpenOrder[], one: OpenOrderLimits['channel'] = 'url') =>
  nextEffects(all, { ...limits, channel: one }, nowMs, platformMs)

test('an order is pushed or shown only on an answer that is at most a minute old', () => {
  fc.assert(
    fc.property(table, way, (all, one) => {
      for (const { effect, open } of effectsOf(all, one))
        if ((effect === 'push' || effect === 'show') && awaitsReply(open.order.phase))
          expect(nowMs - open.provenMs).toBeLessThanOrEqual(proofMs)
    }),
  )
})

test('never more is under way than there are slots, and no kind keeps a slot from another', () => {
  fc.assert(
    fc.property(table, (all) => {
      const begun = effectsOf(all)
      const count = (at: string, isEnded: boolean) => {
        const before = all.filter((one) => one.at === at && (one.order.phase === 'ended') === isEnded).length
        const added = begun.filter(({ effect, open }) => effect === at && (open.order.phase === 'ended') === isEnded)
        return { before, added: added.length }
      }
      for (const [at, isEnded, max] of [
        ['push', false, 8],
        ['push', true, 2],
        ['report', false, 8],
      ] as const) {
        const { before, added } = count(at, isEnded)
        expect(added).toBeLessThanOrEqual(Math.max(0, max - before))
      }
    }),
  )
})

test('each open order has at most one effect, by its phase and channel, and none before its time', () => {
  fc.assert(
    fc.property(table, way, (all, one) => {
      const effects = effectsOf(all, one)
      expect(new Set(effects.map(({ open }) => open)).size).toBe(effects.length)
      for (const { effect, open } of effects) {
        expect(isWaiting(open) && open.atMs <= nowMs).toBe(true)
        if (effect === 'push') expect(one).toBe('url')
        if (effect === 'show') expect(one).toBe('files')
        if (effect === 'confirm') expect([one, open.order.phase]).toEqual(['asking', 'ended'])
        expect(effect === 'report').toBe(open.order.phase === 'reporting')
      }
    }),
  )
})

test('an order that was put off is asked about from its retryAt on, by the clock of the platform', () => {
  const putOff = (retryAtMs: number | null) =>
    effectsOf([openOrder({ ...newOrder(paid, '{}', 1), phase: 'put-off', retryAtMs }, nowMs)]).map(
      ({ effect }) => effect,
    )
  expect([putOff(platformMs + 1), putOff(platformMs), putOff(null)]).toEqual([[], ['ask'], ['ask']])
})

test('a message is tried again after 1 s, doubling to 30 s; a report to 5 min, or to an hour if the platform asks for it', () => {
  expect([1, 2, 3, 4, 5, 6, 60].map((tries) => retryDelayMs(tries))).toEqual([
    1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000,
  ])
  expect([1, 2, 3, 9, 10, 99].map((tries) => reportDelayMs(tries))).toEqual([
    1_000, 2_000, 4_000, 256_000, 300_000, 300_000,
  ])
  expect([60_000, 600_000, 3_600_001].map((askedMs) => reportDelayMs(99, askedMs))).toEqual([
    300_000, 600_000, 3_600_000,
  ])
})
