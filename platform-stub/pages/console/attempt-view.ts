import { html } from 'hono/html'
import type { WebhookAttemptRow } from '../../store/webhook-rows.ts'
import { isAcknowledgement } from '../../webhooks/post.ts'
import type { Html } from '../document.ts'

/** Whether the receiver took it. */
export function wentWell({ responseStatus }: Pick<WebhookAttemptRow, 'responseStatus'>): boolean {
  return responseStatus !== null && isAcknowledgement(responseStatus)
}

/** How an attempt ended, in a word. */
export function attemptBadge(attempt: Pick<WebhookAttemptRow, 'responseStatus' | 'failure' | 'fault'>): Html {
  const { responseStatus, failure, fault } = attempt
  const tone = wentWell(attempt) ? 'good' : 'bad'
  const ended = html`<span class="badge ${tone}">${responseStatus ?? failure ?? 'no answer'}</span>`
  return fault ? html`${ended} <span class="badge argued">fault: ${fault}</span>` : ended
}
