import { html } from 'hono/html'
import type { WebhookEvent } from '../../../contract/events.ts'
import type { WebhookAttemptRow } from '../../store/webhook-rows.ts'
import { isAcknowledgement } from '../../webhooks/post.ts'
import type { Html } from '../document.ts'
import { badge } from '../parts.ts'
import { observationIn } from './exchange.ts'

/** The colour of an attempt: good, wrong, or taken without the stock that it was asked for. */
export function attemptTone(event: WebhookEvent, { responseStatus, responseBody }: WebhookAttemptRow): string {
  if (responseStatus === null || !isAcknowledgement(responseStatus)) return 'bad'
  return event === 'transfer_order' && observationIn(responseBody) === 'none' ? 'wait' : 'good'
}

/** How an attempt ended, in a few words. */
export function attemptBadge(event: WebhookEvent, attempt: WebhookAttemptRow): Html {
  const { responseStatus, failure, fault } = attempt
  const tone = attemptTone(event, attempt)
  const remark = tone === 'wait' ? ', no observedQuantity in the answer: the stock stays as it was' : ''
  return html`${badge(tone, `${responseStatus ?? failure ?? 'no answer'}${remark}`)} ${fault && badge('argued', `fault: ${fault}`)}`
}
