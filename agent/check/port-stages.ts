import { get } from 'node:http'
import { createServer } from 'node:net'
import type { SettingName } from '../config/settings.ts'
import { cures } from '../language/cures.ts'
import { say } from '../language/say.ts'
import { right, type Verdict, wrong } from './check.ts'

/** What was found at a port. */
export type PortFacts =
  | { readonly at: 'free' }
  /** `status` and `text` of its answer to GET; undefined if it does not speak HTTP in time. */
  | { readonly at: 'taken'; readonly answer: { readonly status: number; readonly text: string } | undefined }
  /** The address cannot be listened at. */
  | { readonly at: 'unusable'; readonly code: string | undefined }

/** Addresses that stand for all of this host, and one of them. */
const reachable: ReadonlyMap<string, string> = new Map([
  ['0.0.0.0', '127.0.0.1'],
  ['::', '::1'],
])

const answerMsMax = 10_000

/** Looks at a port by connecting to it. It is never taken, not even for a moment: an agent may be starting. */
export async function probePort(host: string, port: number, path: string): Promise<PortFacts> {
  const code = await listenAt(host)
  if (code !== undefined) return { at: 'unusable', code }
  if (port === 0) return { at: 'free' }
  return new Promise((resolve) => {
    const taken = () => resolve({ at: 'taken', answer: undefined })
    const asking = get(
      { host: reachable.get(host) ?? host, port, path, agent: false, signal: AbortSignal.timeout(answerMsMax) },
      (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('error', taken)
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString('utf8').slice(0, 1_000)
          resolve({ at: 'taken', answer: { status: response.statusCode ?? 0, text } })
        })
      },
    )
    asking.on('error', ({ code: reason }: NodeJS.ErrnoException) =>
      reason === 'ECONNREFUSED' ? resolve({ at: 'free' }) : taken(),
    )
  })
}

/** Whether this host has the address, tried with a free port. @returns the code of the error. */
function listenAt(host: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', ({ code }: NodeJS.ErrnoException) => resolve(code))
    server.listen(0, host, () => server.close(() => resolve(undefined)))
  })
}

/** The name and version of the agent that answers at a port; undefined where none does. */
export function agentAt(facts: PortFacts): string | undefined {
  const text = facts.at === 'taken' && facts.answer?.status === 200 ? facts.answer.text : undefined
  return text === undefined ? undefined : /^\{"ok":true,"agent":"(market-agent [^"]{1,80})"\}$/.exec(text)?.[1]
}

/** A port that this host lets every user open. */
export interface PortPlan {
  readonly setting: Extract<SettingName, 'SERVICE_AGENT_PORT' | 'SERVICE_WEBHOOK_PORT'>
  readonly host: string
  readonly port: number
  /** The lowest port that this user may open. */
  readonly portMin: number
}

/** @param isOurs Whether what answers there is an agent. */
export function judgePort({ setting, host, port, portMin }: PortPlan, facts: PortFacts, isOurs: boolean): Verdict {
  const address = `${host}:${port}`
  if (facts.at === 'unusable') {
    const hostSetting = setting.replace('PORT', 'HOST')
    return wrong(say`nothing can listen at ${host} (${facts.code})`, cures.addressOfHost(hostSetting))
  }
  if (facts.at === 'taken')
    return isOurs
      ? right(say`${address}: a market-agent listens there now`)
      : wrong(say`${address}: another program has this port`, cures.freePort(setting))
  if (port !== 0 && port < portMin)
    return wrong(say`${address}: this user may open no port below ${portMin}`, cures.higherPort(setting, portMin))
  return right(port === 0 ? say`${host}: a free port is taken at each start` : say`${address} is free`)
}
