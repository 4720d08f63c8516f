import { html } from 'hono/html'
import type { WebhookEvent } from '../../../contract/events.ts'
import type { WebhookAttemptRow } from '../../store/webhook-rows.ts'
import { isAcknowledgement } from '../../webhooks/post.ts'
import type { Html } from '../document.ts'
import { observationIn } from './exchange.ts'

type Attempt = Pick<WebhookAttemptRow, 'responseStatus' | 'responseBody' | 'failure' | 'fault'>

/** The colour of an attempt: good, wrong, or taken without the stock that it was asked for. */
export function attemptTone(event: WebhookEvent, attempt: Attempt): 'good' | 'wait' | 'bad' {
  if (attempt.responseStatus === null || !isAcknowledgement(attempt.responseStatus)) return 'bad'
  return event === 'transfer_order' && observationIn(attempt.responseBody) === 'none' ? 'wait' : 'good'
}

/** How an attempt ended, in a few words. */
export function attemptBadge(event: WebhookEvent, attempt: Attempt): Html {
  const { responseStatus, failure, fault } = attempt
  const tone = attemptTone(event, attempt)
  const remark = tone === 'wait' ? ', no observedQuantity in the answer: the stock stays as it was' : ''
  const ended = html`<span class="badge ${tone}">${responseStatus ?? failure ?? 'no answer'}${remark}</span>`
  return fault ? html`${ended} <span class="badge argued">fault: ${fault}</span>` : ended
}
