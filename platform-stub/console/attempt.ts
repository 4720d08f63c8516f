import { html } from 'hono/html'
import type { Html } from '../pages/document.ts'
import type { WebhookAttemptRow } from '../store/webhooks.ts'

/** How an attempt ended, in a word. */
export function attemptBadge({
  responseStatus,
  failure,
  fault,
}: Pick<WebhookAttemptRow, 'responseStatus' | 'failure' | 'fault'>): Html {
  const isWell = responseStatus !== null && responseStatus >= 200 && responseStatus < 300
  const ended = html`<span class="badge ${isWell ? 'good' : 'bad'}">${responseStatus ?? failure ?? 'no answer'}</span>`
  return fault ? html`${ended} <span class="badge argued">fault: ${fault}</span>` : ended
}
