import { hash } from 'node:crypto'
import { Client } from 'pg'
import type { StoreHost, StoreUrl } from '../config/store-url.ts'
import { StoreUnreachableError } from '../database/store-errors.ts'
import type { StoreClient, StoreSession } from './session.ts'
import { beginSession } from './session-settings.ts'

const silenceMsMax = 1_000
const readOnlyBy = {
  'read-only': 'read-only',
  'set-read-only': 'read-only, because default_transaction_read_only is on for this user, this database or the server',
} as const

/** How to connect. */
export interface ConnectOptions {
  /** The authorities (PEM) that may sign the certificates of the servers; undefined for Node's own list. */
  readonly ca: string | string[] | undefined
  /** Of one attempt with one host, TLS and password included, and of each statement. */
  readonly timeoutMs: number
  /** Shown in the server's list of sessions. */
  readonly applicationName: string
}

/** Why a host was not used. */
export interface HostProblem {
  readonly host: string
  readonly port: number
  /** `read-only`: a standby. `set-read-only`: a setting forbids writes. */
  readonly problem: 'read-only' | 'set-read-only' | Error
}

/** No host of the store accepts writes now. */
export class NoWritableHostError extends StoreUnreachableError {
  readonly problems: readonly HostProblem[]

  constructor(problems: readonly HostProblem[]) {
    super(`no host of the store accepts writes (${problems.map(describe).join('; ')})`)
    this.problems = problems
  }
}

/**
 * Connects to the first host of a store that accepts writes. Each is tried once, for `timeoutMs` at most.
 *
 * @param onEnd Called when the session has ended by anything else than its `end`.
 * @throws {NoWritableHostError}
 */
export async function connectToStore(url: StoreUrl, options: ConnectOptions, onEnd: () => void): Promise<StoreSession> {
  const problems: HostProblem[] = []
  for (const host of url.hosts) {
    const client = newClient(url, host, options)
    let state: 'new' | 'used' | 'ended' = 'new'
    client.on('end', () => {
      if (state === 'used') onEnd()
      state = 'ended'
    })
    // An error ends the session too. Without a listener it would end the process.
    client.on('error', () => undefined)
    const problem = await connectOrTell(client)
    // The connection may have ended since the answer.
    if (problem === undefined && state === 'new') {
      state = 'used'
      const end = () => {
        state = 'ended'
        return endOrDestroy(client)
      }
      return { client: keepingPlans(client), host, end }
    }
    problems.push({ host: host.host, port: host.port, problem: problem ?? new Error('the connection ended') })
    void endOrDestroy(client)
  }
  throw new NoWritableHostError(problems)
}

/** The server reads a statement with values once in each session, and soon keeps its plan. */
function keepingPlans(client: Client): StoreClient {
  return {
    query: (text, values) => client.query(values?.length ? { name: hash('sha1', text), text, values } : text),
    on: (event, listener) => client.on(event, listener),
  }
}

/** A host that is gone does not answer the end. */
async function endOrDestroy(client: Client): Promise<void> {
  const timer = setTimeout(() => client.connection.stream.destroy(), silenceMsMax)
  await client.end().catch(() => undefined)
  clearTimeout(timer)
}

async function connectOrTell(client: Client): Promise<HostProblem['problem'] | undefined> {
  try {
    await client.connect()
    const { rows } = await client.query<{ read_only: string; is_standby: boolean }>(beginSession)
    if (rows[0]?.read_only === 'off') return undefined
    return rows[0]?.is_standby ? 'read-only' : 'set-read-only'
  } catch (error) {
    return error as Error
  }
}

function newClient(url: StoreUrl, { host, port, isRemote }: StoreHost, options: ConnectOptions): Client {
  const { user, password, database } = url
  const { ca, timeoutMs, applicationName } = options
  return new Client({
    ...{ host, port, user, database },
    // As a function, because `pg` would look for a missing one in the environment and in a file.
    password: () => password ?? '',
    enableChannelBinding: true,
    ssl: isRemote && { ...(ca !== undefined && { ca }), minVersion: 'TLSv1.2' },
    application_name: applicationName,
    connectionTimeoutMillis: timeoutMs,
    query_timeout: timeoutMs,
    // What an agent that is gone had begun must not hold a lock for longer.
    statement_timeout: timeoutMs,
    idle_in_transaction_session_timeout: timeoutMs,
    keepAlive: true,
  })
}

function describe({ host, port, problem }: HostProblem): string {
  const text = typeof problem === 'string' ? readOnlyBy[problem] : problem.message
  return `${host}:${port}: ${text}`
}
