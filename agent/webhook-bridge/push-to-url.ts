import { limits } from '../../contract/limits.ts'
import type { Clock } from '../clock/clock.ts'
import { causeOf } from '../durable-files/system-errors.ts'
import { cures } from '../language/cures.ts'
import type { Log } from '../log/log.ts'
import type { Message, Reply } from '../orders/message.ts'
import type { Connect } from '../platform/connection.ts'
import { replyIn } from './event-files.ts'

export interface PushOptions {
  readonly url: string
  /** Sent as `Authorization: Bearer`, so that the game server can tell the agent from a stranger. */
  readonly token: () => string | undefined
  /** PEM certificates trusted in addition to the system's store. */
  readonly extraCa: string | undefined
  readonly connect: Connect
  readonly clock: Clock
  readonly log: Pick<Log, 'info' | 'warn'>
}

/** Pushes messages to the game server by POST. It replies in its answer. */
export interface PushToUrl {
  /** Offers a message once. Never throws. */
  push(message: Message): Promise<Reply | 'unanswered'>
  close(): Promise<void>
}

/** Opens no socket yet: the first push does. */
export function pushToUrl({ url, token, extraCa, connect, clock, log }: PushOptions): PushToUrl {
  const { origin, pathname, search } = new URL(url)
  const timeoutMs = limits.webhookTimeoutMs
  const connection = connect({ origin, extraCa, proxy: undefined, attemptTimeoutMs: timeoutMs, idle: 'none', clock })
  let lastProblem: string | undefined

  /** One line when the problem changes, and not one for each push. */
  function note(problem: string | undefined, cure?: string): void {
    if (problem === lastProblem) return
    lastProblem = problem
    if (problem === undefined) log.info({ url: origin }, 'the game server takes webhooks again')
    else log.warn({ url: origin, cause: problem, cure }, 'the game server did not take a webhook; it is offered again')
  }

  async function push(message: Message): Promise<Reply | 'unanswered'> {
    const bearer = token()
    const headers = ['content-type', 'application/json']
    if (bearer !== undefined) headers.push('authorization', `Bearer ${bearer}`)
    const request = { method: 'POST', path: `${pathname}${search}`, headers, body: Buffer.from(message.text) } as const
    const result = await connection.send(request, { timeoutMs })
    let reply: Reply | undefined
    if (result.kind === 'failed') note(causeOf(result.cause), cures.startGameServer())
    else if (result.status < 200 || result.status > 299) note(`HTTP ${result.status}`, cures.acknowledge())
    else {
      reply = message.event === 'transaction_terminal' ? 'confirmed' : replyIn(result.body, message)
      if (reply) note(undefined)
      else note('the answer has no observedQuantity, or another result', cures.answerWithQuantity())
    }
    return reply ?? 'unanswered'
  }

  return { push, close: () => connection.close() }
}
