import { observedQuantityOf, type WebhookEvent } from '../../../contract/events.ts'
import { readStrictJson } from '../../../contract/strict-json.ts'
import type { TransactionPhase } from '../../../contract/transaction.ts'
import type { SentWebhook } from '../../store/console-queries.ts'
import { stubLimits } from '../../store/stub-limits.ts'
import type { DueMoveRow } from '../../store/transaction-rows.ts'

/** The stock in an answer to a webhook; `cut` for an answer that was too long to be stored whole. */
export type Observation = number | 'none' | 'cut'

/** Something that a transaction still waits for. */
export type Expectation =
  /** What a person or the game server does next. */
  | { readonly kind: 'act'; readonly phase: (typeof awaited)[number] }
  /** The game server's 2xx to a webhook, and when it is sent next. */
  | {
      readonly kind: 'acknowledgement'
      readonly id: number
      readonly event: WebhookEvent
      readonly attempt: number
      readonly due: { readonly atMs: number } | 'webhook-url' | 'terminal'
    }
  /** A move that time makes. */
  | { readonly kind: 'move'; readonly trigger: DueMoveRow['trigger']; readonly atMs: number }

/** The phases that end by an act. */
const awaited = ['awaiting-payment', 'awaiting-server', 'disputed'] as const satisfies readonly TransactionPhase[]

/**
 * Which webhooks of a transaction were acknowledged, and what is still expected of everyone; nothing is expected when it
 * is over. Pure.
 *
 * @param webhooks Those of the transaction, oldest first.
 * @returns `observation` is null for an event that asks for no stock.
 */
export function exchangeOf(
  phase: TransactionPhase,
  webhooks: readonly SentWebhook[],
  due: readonly DueMoveRow[],
  hasReceiver: boolean,
) {
  const expected: Expectation[] = awaited.flatMap((one) => (one === phase ? [{ kind: 'act', phase: one }] : []))
  for (const { id, event, attempts, nextAttemptAt, isHeld } of webhooks) {
    if (nextAttemptAt === null) continue
    const next = isHeld ? 'terminal' : hasReceiver ? { atMs: nextAttemptAt } : 'webhook-url'
    expected.push({ kind: 'acknowledgement', id, event, attempt: attempts + 1, due: next })
  }
  for (const { trigger, dueAt } of due) expected.push({ kind: 'move', trigger, atMs: dueAt })
  const acknowledged = webhooks.flatMap(({ id, event, acknowledgedAt, answer }) => {
    const observation = event === 'transfer_order' ? observationIn(answer) : null
    return acknowledgedAt === null ? [] : [{ id, event, atMs: acknowledgedAt, observation }]
  })
  return { acknowledged, expected }
}

/** The stock that a game server's answer reports. */
export function observationIn(answer: string | null): Observation {
  const body = answer ?? ''
  if (body.length >= stubLimits.webhookAnswerKeptLengthMax) return 'cut'
  const reading = readStrictJson(body)
  return (reading.ok ? observedQuantityOf(reading.object.value) : undefined) ?? 'none'
}
