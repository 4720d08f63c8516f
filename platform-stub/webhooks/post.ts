import { request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { signatureHeaderName } from '../../contract/envelope/protected-header.ts'
import type { Clock } from '../clock/clock.ts'
import { stubLimits } from '../limits.ts'

/** What one attempt came to. */
export type PostOutcome =
  | { readonly kind: 'answer'; readonly status: number; readonly body: string }
  | { readonly kind: 'failure'; readonly failure: string }

export interface WebhookPost {
  readonly url: string
  /** The exact text that was signed. */
  readonly body: string
  /** Null sends no signature, which only a prober does. */
  readonly signature: string | null
  /** For everything together: connecting, sending, and the whole answer. */
  readonly timeoutMs: number
}

/**
 * Posts a webhook once, on a connection of its own: an idle one that the receiver closes meanwhile would be a failed
 * attempt, and 15 s lost. Redirects are answers like any other. Of a body longer than the limit only the beginning is
 * read; the status counts.
 *
 * @see interface section 6
 */
export function postWebhook({ url, body, signature, timeoutMs }: WebhookPost, clock: Clock): Promise<PostOutcome> {
  return new Promise((resolve) => {
    const request = (url.startsWith('https:') ? httpsRequest : httpRequest)(url, {
      method: 'POST',
      agent: false,
      headers: {
        'Content-Type': 'application/json',
        'Content-Length': Buffer.byteLength(body),
        ...(signature !== null && { [signatureHeaderName]: signature }),
      },
    })
    const finish = (outcome: PostOutcome): void => {
      cancelTimeout()
      resolve(outcome)
      request.destroy()
    }
    const cancelTimeout = clock.after(timeoutMs, () =>
      finish({ kind: 'failure', failure: `no complete answer within ${timeoutMs} ms` }),
    )
    const fail = (error: Error): void => finish({ kind: 'failure', failure: describe(error) })
    request.on('error', fail)
    request.on('response', (response) => {
      response.on('error', fail)
      readAnswer(response, (body) => finish({ kind: 'answer', status: response.statusCode ?? 0, body }))
    })
    request.end(body)
  })
}

function readAnswer(response: IncomingMessage, done: (body: string) => void): void {
  const chunks: Buffer[] = []
  let length = 0
  const textOf = (): string => Buffer.concat(chunks).toString('utf8', 0, stubLimits.webhookAnswerBytesMax)
  response.on('data', (chunk: Buffer) => {
    chunks.push(chunk)
    length += chunk.length
    if (length > stubLimits.webhookAnswerBytesMax) done(textOf())
  })
  response.on('end', () => done(textOf()))
}

/** `AggregateError`, which Node throws when all addresses of a name fail, has no message of its own. */
function describe(error: Error & { readonly code?: string }): string {
  return error.message || error.code || error.name
}
