import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import type { RealTime } from '../clock/clock.ts'
import { type Header, type PostOutcome, sentHeaders, type WebhookPost } from '../webhooks/webhook-post.ts'

/** How much of a receiver's answer is read. */
const webhookAnswerBytesMax = 65_536

/**
 * Posts a webhook once, on a connection of its own: an idle one that the receiver closes meanwhile would be a failed
 * attempt, and 15 s lost. Redirects are answers like any other. Of a body longer than the limit only the beginning is
 * read; the status counts. Never throws: an address that nothing can be sent to is a failure like any other.
 *
 * @see interface section 6
 */
export function postWebhook(post: WebhookPost, setTimer: RealTime['setTimer']): Promise<PostOutcome> {
  return exchange(post, setTimer).catch(failureOf)
}

function exchange(post: WebhookPost, setTimer: RealTime['setTimer']): Promise<PostOutcome> {
  const { body, timeoutMs, signal } = post
  return new Promise((resolve) => {
    const request = requestTo(post)
    const finish = (outcome: PostOutcome): void => {
      cancelTimeout()
      signal?.removeEventListener('abort', breakOff)
      resolve(outcome)
      request.destroy()
    }
    const cancelTimeout = setTimer(timeoutMs, () =>
      finish({ kind: 'failure', failure: `no complete answer within ${timeoutMs} ms` }),
    )
    const breakOff = (): void => finish({ kind: 'failure', failure: String(signal?.reason) })
    const fail = (error: Error): void => finish(failureOf(error))
    request.on('error', fail)
    request.on('response', (response) => {
      response.on('error', fail)
      const headers = headersOf(response)
      readAnswer(response, (body) => finish({ kind: 'answer', status: response.statusCode ?? 0, headers, body }))
    })
    request.end(body)
    signal?.addEventListener('abort', breakOff)
    if (signal?.aborted) breakOff()
  })
}

/** @throws The address cannot be sent to; one that parses as a URL can still hold what no request can. */
function requestTo(post: WebhookPost): ClientRequest {
  const target = new URL(post.url)
  return (target.protocol === 'https:' ? httpsRequest : httpRequest)(target, {
    method: 'POST',
    agent: false,
    headers: sentHeaders(post).flat(),
  })
}

/** The lines of a head as they arrived. */
function headersOf({ rawHeaders }: IncomingMessage): Header[] {
  return rawHeaders.flatMap((name, at) => (at % 2 === 0 ? [[name, rawHeaders[at + 1] ?? ''] as const] : []))
}

function readAnswer(response: IncomingMessage, done: (body: string) => void): void {
  const chunks: Buffer[] = []
  let length = 0
  const textOf = (): string => Buffer.concat(chunks).toString('utf8', 0, webhookAnswerBytesMax)
  response.on('data', (chunk: Buffer) => {
    chunks.push(chunk)
    length += chunk.length
    if (length > webhookAnswerBytesMax) done(textOf())
  })
  response.on('end', () => done(textOf()))
}

/** `AggregateError`, which Node throws when all addresses of a name fail, has no message of its own. */
function failureOf(error: Error & { readonly code?: string }): PostOutcome {
  return { kind: 'failure', failure: error.message || error.code || error.name }
}
