import { request } from 'node:http'
import type { DaemonAddress } from '../config/config.ts'
import { say } from '../language/say.ts'
import { exitCodes } from './exit-codes.ts'

/** What the daemon answered. */
export interface DaemonAnswer {
  readonly status: number
  readonly text: string
}

const tokenNeeded = () =>
  say`The agent wants its token: set SERVICE_AGENT_TOKEN or SERVICE_AGENT_TOKEN_FILE as for the agent, for example with --config`

/**
 * Sends a request to the running daemon. If there is none, it is reported on standard error and the exit code is set.
 *
 * @returns undefined when there was no answer.
 */
export async function askDaemon(
  address: DaemonAddress,
  method: 'GET' | 'POST',
  path: string,
  body?: string,
): Promise<DaemonAnswer | undefined> {
  try {
    const answer = await exchange(address, method, path, body)
    if (answer.status === 401) process.stderr.write(`${tokenNeeded()}\n`)
    return answer
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code ?? String(error)
    const place = `${address.host}:${address.port}`
    process.stderr.write(`${say`No market-agent answers at ${place} (${reason}). Start it with: market-agent run`}\n`)
    process.exitCode = exitCodes.refused
    return undefined
  }
}

function exchange(
  { host, port, token }: DaemonAddress,
  method: string,
  path: string,
  body?: string,
): Promise<DaemonAnswer> {
  return new Promise((resolve, reject) => {
    const headers = {
      ...(body !== undefined && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    }
    const asking = request({ host, port, method, path, headers }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString('utf8') }),
      )
      response.on('error', reject)
    })
    asking.on('error', reject)
    asking.end(body)
  })
}
