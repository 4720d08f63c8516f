import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Handing, type HandingLimits, next, proofMs, retryDelayMs } from '../../../agent/orders/handing.ts'
import type { Message } from '../../../agent/orders/message.ts'

const nowMs = 1_000_000
const limits: HandingLimits = { way: 'url', questions: 8, orders: 8, terminalEvents: 2 }
const messageOf = (event: Message['event'], transactionId: number): Message => ({
  ...{ event, transactionId, generation: 1, name: `${event}-${transactionId}`, text: '{}' },
})

const state = fc.oneof(
  fc.record({ at: fc.constant('due' as const), atMs: fc.constantFrom(nowMs - 1, nowMs, nowMs + 1) }),
  fc.record({ at: fc.constant('asking' as const), wasShown: fc.boolean() }),
  fc.constantFrom({ at: 'pushing' as const }, { at: 'replying' as const }, { at: 'withdrawing' as const }),
  fc.record({ at: fc.constant('shown' as const), untilMs: fc.constantFrom(nowMs, nowMs + proofMs, nowMs + 120_000) }),
)
const table: fc.Arbitrary<readonly Handing[]> = fc
  .array(
    fc.record({
      event: fc.constantFrom('transfer_order' as const, 'transaction_terminal' as const),
      provenMs: fc.constantFrom(Number.NEGATIVE_INFINITY, nowMs - proofMs - 1, nowMs - proofMs, nowMs),
      state,
    }),
    { maxLength: 40 },
  )
  .map((handings) =>
    handings.map(({ event, provenMs, state: one }, at) => ({
      ...{ message: messageOf(event, at + 1), provenMs, tries: 0, ...one },
    })),
  )
const way = fc.constantFrom('url' as const, 'files' as const, 'asking' as const)

test('an order is pushed or shown only on an answer that is at most a minute old', () => {
  fc.assert(
    fc.property(table, way, (handings, one) => {
      for (const { do: what, handing } of next(handings, { ...limits, way: one }, nowMs))
        if ((what === 'push' || what === 'show') && handing.message.event === 'transfer_order')
          expect(nowMs - handing.provenMs).toBeLessThanOrEqual(proofMs)
    }),
  )
})

test('never more is under way than there are slots, and terminal events keep no slot from an order', () => {
  fc.assert(
    fc.property(table, (handings) => {
      const effects = next(handings, limits, nowMs)
      const begun = (what: string, event?: Message['event']) =>
        effects.filter((one) => one.do === what && (event ?? one.handing.message.event) === one.handing.message.event)
          .length
      const underWay = (at: Handing['at'], event?: Message['event']) =>
        handings.filter((one) => one.at === at && (event ?? one.message.event) === one.message.event).length
      const isWithin = (count: number, before: number, max: number) => count <= Math.max(0, max - before)
      expect(isWithin(begun('ask'), underWay('asking'), 8)).toBe(true)
      expect(isWithin(begun('push', 'transfer_order'), underWay('pushing', 'transfer_order'), 8)).toBe(true)
      expect(isWithin(begun('push', 'transaction_terminal'), underWay('pushing', 'transaction_terminal'), 2)).toBe(true)
    }),
  )
})

test('each message has at most one effect, by its way, and none before its time', () => {
  fc.assert(
    fc.property(table, way, (handings, one) => {
      const effects = next(handings, { ...limits, way: one }, nowMs)
      expect(new Set(effects.map(({ handing }) => handing)).size).toBe(effects.length)
      for (const { do: what, handing } of effects) {
        if (handing.at === 'due') expect(handing.atMs).toBeLessThanOrEqual(nowMs)
        if (what === 'push') expect(one).toBe('url')
        if (what === 'show' && handing.at === 'due') expect(one).toBe('files')
        expect(['due', 'shown', 'withdrawing']).toContain(handing.at)
      }
    }),
  )
})

test('a message is tried again after 1 s, doubling to 30 s', () => {
  expect([1, 2, 3, 4, 5, 6, 60].map(retryDelayMs)).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000])
})
