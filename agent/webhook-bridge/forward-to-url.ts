import request from 'undici/lib/api/api-request.js'
import Pool from 'undici/lib/dispatcher/pool.js'
import { observedQuantityOf } from '../../contract/events.ts'
import { limits } from '../../contract/limits.ts'
import { readStrictJson } from '../../contract/strict-json.ts'
import type { Clock } from '../clock/clock.ts'
import { causeOf } from '../durable-files/system-errors.ts'
import { cures } from '../language/cures.ts'
import type { Log } from '../log/log.ts'
import type { Message } from '../orders/message.ts'
import type { Handover, Reply } from '../orders/offers.ts'

export interface ForwardOptions {
  readonly url: string
  readonly clock: Clock
  readonly log: Log
}

const connectionsMax = 8

/** Pushes messages to the game server by POST. The game server replies in its answer. */
export function forwardToUrl({ url, clock, log }: ForwardOptions): Handover {
  const { origin, pathname, search } = new URL(url)
  const pool = new Pool(origin, {
    connections: connectionsMax,
    pipelining: 1,
    allowH2: false,
    headersTimeout: 0,
    bodyTimeout: 0,
  })
  let lastProblem: string | undefined

  /** One line when the problem changes, and not one for each push. */
  function note(problem: string | undefined, cure?: string): void {
    if (problem === lastProblem) return
    lastProblem = problem
    if (problem === undefined) log.info({ url: origin }, 'the game server takes webhooks again')
    else log.warn({ url: origin, cause: problem, cure }, 'the game server did not take a webhook; it is offered again')
  }

  return {
    async offer(message) {
      const timeout = new AbortController()
      const cancelTimer = clock.after(limits.webhookTimeoutMs, () => timeout.abort(new Error('no answer within 10 s')))
      try {
        const { statusCode, body } = await request.call(pool, {
          method: 'POST',
          path: `${pathname}${search}`,
          headers: { 'content-type': 'application/json' },
          body: message.text,
          signal: timeout.signal,
        })
        const text = await readText(body)
        if (statusCode < 200 || statusCode > 299) {
          note(`HTTP ${statusCode}`, cures.acknowledge())
          return 'unanswered'
        }
        const reply = replyOf(message, text)
        if (reply) note(undefined)
        else note('the answer has no observedQuantity', cures.answerWithQuantity())
        return reply ?? 'unanswered'
      } catch (error) {
        note(causeOf(error as Error), cures.startGameServer())
        return 'unanswered'
      } finally {
        cancelTimer()
      }
    },
    withdraw: () => undefined,
    start: async () => undefined,
    stop: async () => undefined,
    close: () => pool.destroy(),
  }
}

function replyOf({ event }: Message, text: string): Reply | undefined {
  if (event === 'transaction_terminal') return { observedQuantity: undefined }
  const reading = readStrictJson(text)
  const observedQuantity = reading.ok ? observedQuantityOf(reading.object.value) : undefined
  return observedQuantity === undefined ? undefined : { observedQuantity }
}

async function readText(body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of body) {
    length += chunk.byteLength
    if (length > limits.bodyBytesMax) throw new Error('the answer is too long')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}
