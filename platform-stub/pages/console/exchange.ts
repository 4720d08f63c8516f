import { observedQuantityOf, type WebhookEvent } from '../../../contract/events.ts'
import { readStrictJson } from '../../../contract/strict-json.ts'
import type { TransactionPhase } from '../../../contract/transaction.ts'
import type { SentWebhook } from '../../store/console-queries.ts'
import type { DueMoveRow } from '../../store/transaction-rows.ts'
import { webhookAnswerKeptLengthMax } from '../../webhooks/outcome.ts'

/** The stock in an answer to a webhook; `cut` for an answer that was too long to be stored whole. */
export type Observation = number | 'none' | 'cut'

/** When a delivery is attempted next: `under-way` while its attempt is being made, `now` before that. */
export type Due = { readonly atMs: number } | 'under-way' | 'now' | 'webhook-url' | 'terminal'

/** What tells when a delivery is attempted next. */
type Delivery = Pick<SentWebhook, 'attempts' | 'recordedAttempts' | 'nextAttemptAt' | 'isHeld'>

/** When a delivery is attempted next, and the number of that attempt; undefined where it is over. Pure. */
export function dueOf(
  { attempts, recordedAttempts, nextAttemptAt, isHeld }: Delivery,
  hasReceiver: boolean,
  nowMs: number,
): { readonly attempt: number; readonly due: Due } | undefined {
  if (nextAttemptAt === null) return undefined
  // An attempt is counted before it is sent, and recorded with its answer.
  const isBegun = attempts > recordedAttempts
  const attempt = isBegun ? attempts : attempts + 1
  if (isHeld) return { attempt, due: 'terminal' }
  if (!hasReceiver) return { attempt, due: 'webhook-url' }
  if (nextAttemptAt > nowMs) return { attempt, due: { atMs: nextAttemptAt } }
  return { attempt, due: isBegun ? 'under-way' : 'now' }
}

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
      readonly due: Due
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
  nowMs: number,
) {
  const expected: Expectation[] = awaited.flatMap((one) => (one === phase ? [{ kind: 'act', phase: one }] : []))
  for (const webhook of webhooks) {
    const next = dueOf(webhook, hasReceiver, nowMs)
    if (next) expected.push({ kind: 'acknowledgement', id: webhook.id, event: webhook.event, ...next })
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
  if (body.length >= webhookAnswerKeptLengthMax) return 'cut'
  const reading = readStrictJson(body)
  return (reading.ok ? observedQuantityOf(reading.object.value) : undefined) ?? 'none'
}
