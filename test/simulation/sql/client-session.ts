import type { StoreHost } from '../../../agent/config/store-url.ts'
import type { Row, StoreSession } from '../../../agent/postgres/session.ts'
import type { ActiveMaximum } from '../active-maximum.ts'
import type { ModelProcess } from '../process.ts'
import type { Random } from '../random.ts'
import type { SqlResult, Statement } from './engine.ts'
import { Pipe, type Way } from './pipe.ts'
import type { SqlServer } from './sql-server.ts'

/** Of one attempt to connect, and of each statement: as the agent asks for. */
export const timeoutMs = 3_000

/** What connects a client with a server. */
export interface SessionParts {
  readonly name: string
  readonly client: ModelProcess
  readonly server: SqlServer
  readonly host: StoreHost
  readonly way: Way
  readonly random: Random
  readonly slowMsMax: ActiveMaximum
  /** Called when the session has ended by anything else than its `end`. */
  readonly onEnd: () => void
  /** Called with a statement that was sent and whose result the client will never know. */
  readonly onUnanswered: (statement: Statement) => void
}

type ToServer = { readonly kind: 'statement'; readonly statement: Statement } | { readonly kind: 'terminate' }

type ToClient =
  | { readonly kind: 'result'; readonly result: SqlResult }
  | { readonly kind: 'notified'; readonly payload: string }
  | { readonly kind: 'terminate' }

/** A statement that the client waits for. */
interface Asked {
  readonly statement: Statement
  readonly resolve: (result: { readonly rows: readonly Row[] }) => void
  readonly reject: (error: Error) => void
}

/** Begins a session. As the client of the agent, it sends one statement at a time, and none again. */
export function openSession(parts: SessionParts): StoreSession {
  const { name, client, server, host, onEnd, onUnanswered } = parts
  const listeners: ((notification: { readonly payload: string }) => void)[] = []
  const queue: Asked[] = []
  let asked: Asked | undefined
  let isOpen = true

  const toClient = new Pipe<ToClient>({ ...parts, receiver: client, onMessage: hear })
  const toServer = new Pipe<ToServer>({ ...parts, receiver: server.process, onMessage: serve })
  const atServer = {
    name,
    onNotified: (payload: string) => toClient.send(`${payload} is notified`, { kind: 'notified', payload }),
    onEnd: () => toClient.send('the store ends a session', { kind: 'terminate' }),
  }
  server.begin(atServer)
  // The system ends the connections of a process that has died.
  const callOff = client.onEnd(() => toServer.send(`${name} is gone`, { kind: 'terminate' }))

  function serve(message: ToServer): void {
    if (message.kind === 'terminate') server.end(atServer)
    else
      server.run(atServer, message.statement, (result) =>
        toClient.send(`result for ${name}`, { kind: 'result', result }),
      )
  }

  function hear(message: ToClient): void {
    if (message.kind === 'result') settle(message.result)
    else if (message.kind === 'notified') for (const listener of listeners) listener(message)
    else if (isOpen) {
      close('Connection terminated unexpectedly')
      onEnd()
    }
  }

  function settle({ rows, failure }: SqlResult): void {
    const settled = asked
    asked = undefined
    askNext()
    if (failure) settled?.reject(Object.assign(new Error(failure.message), failure))
    else settled?.resolve({ rows })
  }

  function askNext(): void {
    if (asked || !isOpen) return
    asked = queue.shift()
    if (asked) toServer.send(shortOf(asked.statement), { kind: 'statement', statement: asked.statement })
  }

  function close(problem: string): void {
    isOpen = false
    callOff()
    if (asked) onUnanswered(asked.statement)
    for (const { reject } of [...(asked ? [asked] : []), ...queue.splice(0)]) reject(new Error(problem))
  }

  return {
    host,
    client: {
      query(sql, values) {
        const statement = values === undefined || values.length === 0 ? { sql } : { sql, values }
        client.enter(`asks the store: ${shortOf(statement)}`)
        if (!isOpen) return Promise.reject(new Error('Client was closed and is not queryable'))
        const { promise, resolve, reject } = Promise.withResolvers<{ readonly rows: readonly Row[] }>()
        const cancel = client.time.setTimer(timeoutMs, () => {
          if (asked?.statement === statement) onUnanswered(statement)
          reject(new Error('Query read timeout'))
        })
        queue.push({ statement, resolve, reject })
        askNext()
        return promise.finally(cancel)
      },
      on: (_event, listener) => listeners.push(listener),
    },
    async end() {
      if (!isOpen) return
      close('Connection terminated')
      toServer.send(`${name} ends`, { kind: 'terminate' })
    },
  }
}

const shownMax = 150

/** A statement for the trace. */
function shortOf({ sql, values }: Statement): string {
  const text = sql.trim().replaceAll(/\s+/g, ' ').slice(0, shownMax)
  return values ? `${text} ${JSON.stringify(values).slice(0, shownMax)}` : text
}
