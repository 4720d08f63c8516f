import { signatureHeaderName } from '../../contract/envelope/protected-header.ts'

/** What one attempt came to. */
export type PostOutcome =
  | { readonly kind: 'answer'; readonly status: number; readonly headers: readonly Header[]; readonly body: string }
  | { readonly kind: 'failure'; readonly failure: string }

/** A line of a head: name and value, as they were written. */
export type Header = readonly [name: string, value: string]

/** One webhook on its way to a receiver. */
export interface WebhookPost {
  readonly url: string
  /** The exact text that was signed. */
  readonly body: string
  /** Null sends no signature, which only a prober does. */
  readonly signature: string | null
  /** For everything together: connecting, sending, and the whole answer. */
  readonly timeoutMs: number
  /** Breaks it off; the reason is what it then failed of. */
  readonly signal?: AbortSignal
  /** Headers in addition to those of every webhook. */
  readonly headers?: Readonly<Record<string, string>>
}

/** Posts a webhook once. Never rejects: an address that nothing can be sent to is a failure like any other. */
export type PostWebhook = (post: WebhookPost) => Promise<PostOutcome>

/** Every header of a webhook, in its order. Empty for an address that nothing can be sent to. */
export function sentHeaders({ url, body, signature, headers = {} }: Omit<WebhookPost, 'timeoutMs'>): Header[] {
  const host = URL.parse(url)?.host
  if (host === undefined) return []
  return [
    ['Host', host],
    ['Content-Type', 'application/json'],
    ['Content-Length', String(Buffer.byteLength(body))],
    ...(signature === null ? [] : [[signatureHeaderName, signature] as const]),
    ...Object.entries(headers),
    ['Connection', 'close'],
  ]
}

/** Whether a receiver's status ends the delivery. @see interface section 6, delivery rules */
export function isAcknowledgement(status: number): boolean {
  return status >= 200 && status < 300
}
