import { signatureHeaderName } from '../../../contract/envelope/protected-header.ts'
import { withIsoTimes } from '../../clock/iso.ts'
import type { WebhookAttemptRow } from '../../store/webhook-rows.ts'
import type { Header } from '../../webhooks/webhook-post.ts'

/**
 * What was sent and what came back, as the control routes show it: stored texts as the values that they are. The
 * signature is a field of its own, and not among the headers: a caller that prints a story can leave it out.
 */
export function sentStory<
  Sent extends Pick<WebhookAttemptRow, 'protectedHeader' | 'requestHeaders' | 'responseHeaders'>,
>(sent: Sent) {
  return {
    ...withIsoTimes(sent),
    protectedHeader: JSON.parse(sent.protectedHeader) as unknown,
    requestHeaders: headersOf(sent.requestHeaders)?.filter(([name]) => name !== signatureHeaderName) ?? null,
    responseHeaders: headersOf(sent.responseHeaders),
  }
}

function headersOf(stored: string | null): Header[] | null {
  return stored === null ? null : (JSON.parse(stored) as Header[])
}
