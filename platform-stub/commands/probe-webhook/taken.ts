import { transactionPhases } from '../../../contract/transaction.ts'
import type { Probe } from './probe.ts'
import type { TerminalPhase } from './workbench.ts'

const handedOutOnce = 'that the item was handed out once'

const probes: readonly Omit<Probe, 'expected'>[] = [
  {
    name: 'order',
    rule: 'section 6, transfer_order',
    sent: 'a transfer_order',
    webhooks: (bench) => [bench.seal(bench.order())],
  },
  {
    name: 'order-again',
    rule: 'section 6, delivery rule 4',
    sent: 'one transfer_order twice, signed anew',
    webhooks(bench) {
      const order = bench.order()
      return [bench.seal(order), bench.seal(order)]
    },
    unproven: handedOutOnce,
  },
  {
    name: 'order-twice-at-once',
    rule: 'section 6, delivery rule 4',
    sent: 'one transfer_order twice at the same moment',
    areSentAtOnce: true,
    webhooks(bench) {
      const order = bench.order()
      return [bench.seal(order), bench.seal(order)]
    },
    unproven: handedOutOnce,
  },
  {
    name: 'order-after-temporary',
    rule: 'section 6, transfer_order',
    sent: 'one transfer_order three times, as after TEMPORARY failures',
    webhooks(bench) {
      const order = bench.order()
      return [bench.seal(order), bench.seal(order), bench.seal(order)]
    },
    unproven: 'that an order which comes again after your TEMPORARY report is tried again; here nothing was reported',
  },
  {
    name: 'order-in-other-spelling',
    rule: 'section 5, step 3',
    sent: 'a transfer_order with its fields turned round, white space and \\u escapes',
    webhooks(bench) {
      const order = bench.order()
      return [bench.seal(order, {}, spelledOtherwise(order))]
    },
  },
  ...terminalPhases().map(
    (phase): Omit<Probe, 'expected'> => ({
      name: `end-${phase}`,
      rule: 'section 6, transaction_terminal',
      sent: isPaid(phase)
        ? `a transfer_order and its end ${pairOf(phase)}`
        : `the end ${pairOf(phase)} of a purchase that was never ordered`,
      webhooks(bench) {
        const order = bench.order()
        const end = bench.seal(bench.terminal(order, phase))
        return isPaid(phase) ? [bench.seal(order), end] : [end]
      },
    }),
  ),
  {
    name: 'end-again',
    rule: 'section 6, delivery rule 4',
    sent: 'one transaction_terminal twice, signed anew',
    webhooks(bench) {
      const terminal = bench.terminal(bench.order(), 'cancelled')
      return [bench.seal(terminal), bench.seal(terminal)]
    },
  },
  {
    name: 'order-after-its-end',
    rule: 'section 6, delivery rules',
    sent: 'a transaction_terminal, then the late transfer_order of the same purchase',
    webhooks(bench) {
      const order = bench.order()
      return [bench.seal(bench.terminal(order, 'refunded-after-failure')), bench.seal(order)]
    },
    unproven: 'that nothing was handed out for an order whose purchase is over',
  },
]

/** What a receiver must take: proper webhooks, in any order and any number of times. */
export const probesOfTaking: readonly Probe[] = probes.map((probe) => ({ ...probe, expected: 'taken' }))

/** The phases that have a terminal webhook. */
function terminalPhases(): TerminalPhase[] {
  return Object.entries(transactionPhases).flatMap(([phase, { outcome }]) =>
    outcome === null ? [] : [phase as TerminalPhase],
  )
}

/** Only a paid purchase had an order. */
function isPaid(phase: TerminalPhase): boolean {
  return transactionPhases[phase].deliveryStatus !== null
}

function pairOf(phase: TerminalPhase): string {
  const { paymentStatus, deliveryStatus } = transactionPhases[phase]
  return `${paymentStatus} / ${deliveryStatus}`
}

/** Other bytes with the same meaning. A receiver that writes the body again before verifying refuses them. */
function spelledOtherwise(event: object): string {
  const turned = Object.fromEntries(Object.entries(event).reverse())
  return `${JSON.stringify(turned, null, 2).replaceAll('a', '\\u0061')}\n`
}
