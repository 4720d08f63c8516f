import request from 'undici/lib/api/api-request.js'
import Pool from 'undici/lib/dispatcher/pool.js'
import { limits } from '../../contract/limits.ts'
import type { Clock } from '../clock/clock.ts'
import { causeOf } from '../durable-files/system-errors.ts'
import { cures } from '../language/cures.ts'
import type { Log } from '../log/log.ts'
import type { Message, Reply } from '../orders/message.ts'
import { secureContextFor } from '../platform/connection.ts'
import { replyIn } from './event-files.ts'

export interface PushOptions {
  readonly url: string
  /** Sent as `Authorization: Bearer`, so that the game server knows the agent from a stranger. */
  readonly token: () => string | undefined
  /** PEM certificates trusted beside the system's store. */
  readonly extraCa: string | undefined
  readonly clock: Clock
  readonly log: Log
}

/** Pushes messages to the game server by POST. It replies in its answer. */
export interface PushToUrl {
  /** Offers a message once. Never throws. */
  push(message: Message): Promise<Reply | 'unanswered'>
  close(): Promise<void>
}

/** Orders and terminal events under way at once. */
const connectionsMax = 10

/** Opens no socket yet: the first push does. */
export function pushToUrl({ url, token, extraCa, clock, log }: PushOptions): PushToUrl {
  const { origin, pathname, search } = new URL(url)
  const secureContext = secureContextFor(origin, extraCa)
  const pool = new Pool(origin, {
    connections: connectionsMax,
    pipelining: 1,
    allowH2: false,
    headersTimeout: 0,
    bodyTimeout: 0,
    ...(secureContext && { connect: { secureContext } }),
  })
  let lastProblem: string | undefined

  /** One line when the problem changes, and not one for each push. */
  function note(problem: string | undefined, cure?: string): void {
    if (problem === lastProblem) return
    lastProblem = problem
    if (problem === undefined) log.info({ url: origin }, 'the game server takes webhooks again')
    else log.warn({ url: origin, cause: problem, cure }, 'the game server did not take a webhook; it is offered again')
  }

  async function push(message: Message): Promise<Reply | 'unanswered'> {
    const timeout = new AbortController()
    const cancelTimer = clock.after(limits.webhookTimeoutMs, () => timeout.abort(new Error('no answer within 10 s')))
    try {
      const bearer = token()
      const { statusCode, body } = await request.call(pool, {
        method: 'POST',
        path: `${pathname}${search}`,
        headers: {
          'content-type': 'application/json',
          ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }),
        },
        body: message.text,
        signal: timeout.signal,
      })
      const bytes = await readBytes(body)
      if (statusCode < 200 || statusCode > 299) {
        note(`HTTP ${statusCode}`, cures.acknowledge())
        return 'unanswered'
      }
      const reply = message.event === 'transaction_terminal' ? 'confirmed' : replyIn(bytes, message)
      if (reply) note(undefined)
      else note('the answer has no observedQuantity, or another result', cures.answerWithQuantity())
      return reply ?? 'unanswered'
    } catch (error) {
      note(causeOf(error as Error), cures.startGameServer())
      return 'unanswered'
    } finally {
      cancelTimer()
    }
  }

  return { push, close: () => pool.destroy() }
}

async function readBytes(body: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of body) {
    length += chunk.byteLength
    if (length > limits.bodyBytesMax) throw new Error('the answer is too long')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
