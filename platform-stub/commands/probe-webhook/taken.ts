import { transactionPhases } from '../../../contract/transaction.ts'
import type { Probe } from './probe.ts'
import type { TerminalPhase } from './workbench.ts'

const twice: Probe['webhooks'] = (bench, order) => [bench.seal(order), bench.seal(order)]
const handedOutOnce = { unproven: 'that the item was handed out once' }

/** What a receiver must take: proper webhooks, in any order and any number of times. */
export const probesOfTaking: readonly Probe[] = [
  taking('order', 'transfer_order', 'a transfer_order', (bench, order) => [bench.seal(order)]),
  taking('order-again', 'delivery rule 4', 'one transfer_order twice, signed anew', twice, handedOutOnce),
  taking('order-twice-at-once', 'delivery rule 4', 'one transfer_order twice at the same moment', twice, {
    ...handedOutOnce,
    areSentAtOnce: true,
  }),
  taking(
    'order-after-temporary',
    'transfer_order',
    'one transfer_order three times, as after TEMPORARY failures',
    (bench, order) => [...twice(bench, order), bench.seal(order)],
    {
      unproven: 'that an order which comes again after your TEMPORARY report is tried again; here nothing was reported',
    },
  ),
  taking(
    'order-in-other-spelling',
    'transfer_order',
    'a transfer_order with its fields turned round, white space and \\u escapes',
    (bench, order) => [bench.seal(order, {}, spelledOtherwise(order))],
    { rule: 'section 5, step 3' },
  ),
  ...terminalPhases().map((phase) => {
    const sent = isPaid(phase)
      ? `a transfer_order and its end ${pairOf(phase)}`
      : `the end ${pairOf(phase)} of a purchase that was never ordered`
    return taking(`end-${phase}`, 'transaction_terminal', sent, (bench, order) => {
      const end = bench.seal(bench.terminal(order, phase))
      return isPaid(phase) ? [bench.seal(order), end] : [end]
    })
  }),
  taking('end-again', 'delivery rule 4', 'one transaction_terminal twice, signed anew', (bench, order) => {
    const terminal = bench.terminal(order, 'cancelled')
    return [bench.seal(terminal), bench.seal(terminal)]
  }),
  taking(
    'order-after-its-end',
    'delivery rules',
    'a transaction_terminal, then the late transfer_order of the same purchase',
    (bench, order) => [bench.seal(bench.terminal(order, 'refunded-after-failure')), bench.seal(order)],
    { unproven: 'that nothing was handed out for an order whose purchase is over' },
  ),
]

/** @param rule Its name in section 6. */
function taking(
  name: string,
  rule: string,
  sent: string,
  webhooks: Probe['webhooks'],
  more: Partial<Probe> = {},
): Probe {
  return { name, rule: `section 6, ${rule}`, sent, expected: 'taken', webhooks, ...more }
}

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
