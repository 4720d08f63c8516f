import { transactionPhases } from '../../../contract/transaction.ts'
import type { Probe } from './probe.ts'
import type { TerminalPhase } from './workbench.ts'

const twice: Probe['webhooks'] = (bench, order) => [bench.seal(order), bench.seal(order)]
const answerAgain =
  'find the order by its transactionId and answer a known one as the first time; never refuse a repetition'
const handedOutOnce = { unproven: 'that the item was handed out once', cure: answerAgain }

const takeOrder =
  'store the order durably, then answer 200 and {"observedQuantity": n} within 10 s; if it refuses, check kid, public key and clock'
const takeEveryEnd =
  'answer every transaction_terminal with 2xx, also one that comes again or whose order you never had, and each order before it with {"observedQuantity": n}'

/** What a receiver must take: proper webhooks, in any order and any number of times. */
export const probesOfTaking: readonly Probe[] = [
  taking('order', 'transfer_order', 'a transfer_order', (bench, order) => [bench.seal(order)]),
  taking('order-again', 'delivery rule 4', 'one transfer_order twice, signed again', twice, handedOutOnce),
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
      cure: answerAgain,
      unproven: 'that an order which comes again after your TEMPORARY report is tried again; here nothing was reported',
    },
  ),
  taking(
    'order-in-other-spelling',
    'transfer_order',
    'a transfer_order with its fields turned round, white space and \\u escapes',
    (bench, order) => [bench.seal(order, {}, spelledOtherwise(order))],
    {
      rule: 'section 5, step 3',
      cure: 'verify the bytes that arrived, and parse them with a whole JSON parser: any order of fields, white space and escapes',
    },
  ),
  ...terminalPhases().map((phase) => {
    const sent = isPaid(phase)
      ? `a transfer_order and its end ${pairOf(phase)}`
      : `the end ${pairOf(phase)} of a purchase that was never ordered`
    const end: Probe['webhooks'] = (bench, order) => {
      const terminal = bench.seal(bench.terminal(order, phase))
      return isPaid(phase) ? [bench.seal(order), terminal] : [terminal]
    }
    return taking(`end-${phase}`, 'transaction_terminal', sent, end, { cure: takeEveryEnd })
  }),
  taking(
    'end-again',
    'delivery rule 4',
    'one transaction_terminal twice, signed again',
    (bench, order) => {
      const terminal = bench.terminal(order, 'cancelled')
      return [bench.seal(terminal), bench.seal(terminal)]
    },
    { cure: takeEveryEnd },
  ),
  taking(
    'order-after-its-end',
    'delivery rules',
    'a transaction_terminal, then the late transfer_order of the same purchase',
    (bench, order) => [bench.seal(bench.terminal(order, 'refunded-after-failure')), bench.seal(order)],
    {
      cure: 'answer a late order 2xx with observedQuantity, and hand nothing out',
      unproven: 'that nothing was handed out for an order whose purchase is over',
    },
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
  return { name, rule: `section 6, ${rule}`, sent, expected: 'taken', cure: takeOrder, webhooks, ...more }
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
