import { randomUUID } from 'node:crypto'
import { operations, requestOf } from '../../contract/operations.ts'
import { contactSign, readAttempt } from '../call/read-attempt.ts'
import { systemClock } from '../clock/system-clock.ts'
import type { AgentConfig } from '../config/config.ts'
import { say } from '../language/say.ts'
import { Contact } from '../platform/contact.ts'
import { partnerApi } from '../platform/partner-api.ts'
import { clockOffsetMsTolerated, PlatformClock } from '../platform/platform-clock.ts'
import { problemOfClock } from '../platform/problem-of-answer.ts'
import { problemOfFailure } from '../platform/problem-of-failure.ts'
import type { PlatformProblem } from '../platform/problem-table.ts'
import { proxyOf } from '../platform/proxy.ts'
import { connectToPlatform } from '../platform/undici-connection.ts'
import { rsaSigning } from '../signing/rsa-signing.ts'
import { type Check, right, unknown, type Verdict, warning, wrong } from './check.ts'

/** What one question and one signed call have shown. */
export interface PlatformFacts {
  /** Undefined where calls go through. */
  readonly problem: PlatformProblem | undefined
  /** How far the clock of this host is behind the platform's; undefined where the platform shows no time. */
  readonly offsetMs: number | undefined
  /** Host and port of the proxy to the platform. */
  readonly proxy: string | undefined
}

/** Asks for the time, as each start does, then makes one call that changes nothing, by the corrected clock. */
export async function probePlatform(config: AgentConfig, userAgent: string): Promise<PlatformFacts> {
  const { baseUrl, extraCa, signingKey, attemptTimeoutMs } = config
  const clock = systemClock
  const { origin } = new URL(baseUrl)
  const proxy = proxyOf(origin, config)
  const route = { baseUrl, proxy, signer: () => signingKey }
  const connection = connectToPlatform({ origin, extraCa, proxy, attemptTimeoutMs, idle: 'none', clock })
  const platformClock = new PlatformClock(clock, () => undefined)
  let problem: PlatformProblem | undefined
  const contact = new Contact(clock, (state) => {
    problem = state.at === 'problem' ? state.problem : undefined
  })
  const api = partnerApi({
    route,
    credentials: () => config,
    attemptTimeoutMs,
    userAgent,
    clock,
    connection,
    platformClock,
    contact,
    newJti: randomUUID,
    signing: rsaSigning,
  })
  try {
    await api.learnClock()
    if (!problem) {
      const startedMs = clock.monotonicMs()
      const signedOriginMs = platformClock.originMs
      const result = await api.attempt(operation, requestOf(operation, input), attemptTimeoutMs)
      const date = result.kind === 'answered' ? result.date : undefined
      const signedClock = platformClock.observe(date, clock.monotonicMs() - startedMs, signedOriginMs)
      const reading = readAttempt(call, result)
      const sign = contactSign(result, reading, signedClock, route)
      if (sign) contact.observe(sign, startedMs)
      else if (result.kind === 'failed') problem = problemOfFailure(result, route)
    }
  } finally {
    await connection.close()
  }
  return { problem, offsetMs: platformClock.offsetMs, proxy: proxy?.host }
}

const operation = operations['market.eligibility']
const input = { characterRef: 'market-agent-check' }
const call = { id: undefined, operationName: 'market.eligibility', operation, input }

type PlatformStage = Extract<Check['name'], 'name' | 'tcp' | 'proxy' | 'tls' | 'address' | 'clock' | 'credentials'>

/** The stages on the way to the platform, in their order, each with the problems that it can have. */
const stages: Readonly<Record<PlatformStage, readonly PlatformProblem['kind'][]>> = {
  name: ['name'],
  tcp: ['tcp'],
  proxy: ['proxy', 'connect'],
  tls: ['tls', 'tls-issuer', 'tls-name', 'tls-expired'],
  address: ['no-answer', 'http', 'server-error', 'path'],
  clock: ['clock'],
  credentials: ['credentials'],
}

/** One check for each stage: the stages before the problem are right, and those after it were not reached. */
export function platformChecks({ baseUrl, signingKey }: AgentConfig, facts: PlatformFacts): Check[] {
  const { problem } = facts
  const names = Object.keys(stages) as PlatformStage[]
  const failing = problem ? names.findIndex((name) => stages[name].includes(problem.kind)) : names.length
  return names.map((name, at) => {
    if (problem && at === failing) return { name, ...wrong(problem.problem, problem.cure) }
    if (at > failing) return { name, ...unknown(say`not reached, because of ${names[failing]}`) }
    return { name, ...passed(name, new URL(baseUrl), signingKey.kid, facts) }
  })
}

function passed(name: PlatformStage, url: URL, kid: string, { proxy, offsetMs }: PlatformFacts): Verdict {
  switch (name) {
    case 'name':
      return proxy === undefined ? right(say`${url.hostname} has an address`) : unknown(say`left to the proxy ${proxy}`)
    case 'tcp':
      return proxy === undefined ? right(say`${url.host} takes connections`) : unknown(say`left to the proxy ${proxy}`)
    case 'proxy':
      return right(proxy === undefined ? say`none is used` : say`${proxy} opens a tunnel to ${url.host}`)
    case 'tls':
      return right(
        url.protocol === 'http:' ? say`none: http on loopback` : say`the certificate of ${url.host} is trusted`,
      )
    case 'address':
      return right(say`the platform answers at ${url.href.replace(/\/$/, '')}/v1`)
    case 'clock':
      return judgeClock(offsetMs)
    case 'credentials':
      return right(say`the platform takes the API key and what ${kid} signs`)
  }
}

function judgeClock(offsetMs: number | undefined): Verdict {
  if (offsetMs === undefined) return unknown(say`the platform sends no Date to compare the clock of this host with`)
  if (Math.abs(offsetMs) <= clockOffsetMsTolerated) return right(say`agrees with the platform's`)
  const { problem, cure } = problemOfClock(offsetMs)
  return warning(problem, cure)
}
