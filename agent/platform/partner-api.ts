import {
  apiKeyHeaderName,
  type ProtectedHeader,
  signatureHeaderName,
} from '../../contract/envelope/protected-header.ts'
import { limits } from '../../contract/limits.ts'
import { operations, type PartnerRequest, type PlatformOperation, requestOf } from '../../contract/operations.ts'
import type { Clock } from '../clock/clock.ts'
import type { Signing } from '../signing/signing.ts'
import type { SigningKey } from '../signing/signing-key.ts'
import { type AttemptResult, NotBegunError } from './attempt-result.ts'
import type { PlatformConnection } from './connection.ts'
import type { Contact } from './contact.ts'
import { clockLeadMsMax, type PlatformClock } from './platform-clock.ts'
import { type PlatformRoute, problemOfFailure } from './problem-of-failure.ts'

/** Added to the timeout of one attempt for an envelope that the agent sends itself: the way there, and a busy platform. */
const envelopeAttemptSlackS = 20

const envelopeLifetimeSOf = (attemptTimeoutMs: number) => Math.ceil(attemptTimeoutMs / 1000) + envelopeAttemptSlackS

/** How long the platform may still accept the envelope of an attempt, from its start, in ms. */
export function attemptLifetimeMsOf(attemptTimeoutMs: number): number {
  return envelopeLifetimeSOf(attemptTimeoutMs) * 1000 + clockLeadMsMax(attemptTimeoutMs)
}

/** The platform's partner interface. Each request gets a new signature and is sent once. */
export interface PartnerApi {
  /**
   * Makes one attempt. Nothing that a network or a platform does makes it throw.
   *
   * @param assertMayBegin Called when the attempt is signed: to sign may take long, and a process may be paused.
   * @throws As `assertMayBegin`. Nothing was sent.
   */
  attempt(
    operation: PlatformOperation,
    request: PartnerRequest,
    timeoutMs: number,
    assertMayBegin?: () => void,
  ): Promise<AttemptResult>
  /** Signs a request that the game client sends within `limits.envelopeLifetimeS`. */
  envelope(request: PartnerRequest): Promise<CarriedRequest>
  /**
   * Asks the platform for its time, without a signature: the `Date` of the refusal is enough. The question proves
   * nothing about calls. Callers that ask at the same time share one question.
   */
  learnClock(): Promise<void>
  /** How long the platform may still accept the envelope of an attempt, from its start, in ms. */
  readonly attemptLifetimeMs: number
}

/** A request that the game client carries to the platform. */
export interface CarriedRequest {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** The exact signed text. */
  readonly body: string
  /** ISO-8601, UTC. */
  readonly expiresAt: string
}

/** What proves to the platform who calls. */
export interface Credentials {
  readonly apiKey: string
  readonly signingKey: SigningKey
}

export interface PartnerApiOptions {
  readonly route: PlatformRoute
  /** Those in use. An attempt keeps the ones that it began with. */
  readonly credentials: () => Credentials
  readonly attemptTimeoutMs: number
  readonly userAgent: string
  readonly clock: Clock
  readonly connection: PlatformConnection
  readonly platformClock: PlatformClock
  readonly contact: Contact
  readonly newJti: () => string
  readonly signing: Pick<Signing, 'seal'>
}

/** Makes the partner interface from a connection, a key and a clock. */
export function partnerApi(options: PartnerApiOptions): PartnerApi {
  const { credentials, platformClock, newJti, signing } = options
  const { baseUrl } = options.route
  const { origin, pathname } = new URL(baseUrl)
  const pathPrefix = pathname === '/' ? '' : pathname
  const attemptLifetimeS = envelopeLifetimeSOf(options.attemptTimeoutMs)

  let learning: Promise<void> | undefined
  const askDate = async (): Promise<void> => {
    const { clock, connection, userAgent, attemptTimeoutMs } = options
    const { method, path } = requestOf(operations['market.eligibility'], { characterRef: 'clock' })
    const headers = ['accept', 'application/json', 'user-agent', userAgent]
    const startedMs = clock.monotonicMs()
    const question = { method, path: `${pathPrefix}${path}`, headers, body: null }
    const result = await connection.send(question, { timeoutMs: attemptTimeoutMs })
    learning = undefined
    if (result.kind === 'failed') {
      const problem = problemOfFailure(result, options.route)
      return options.contact.observe({ kind: 'problem', problem }, startedMs)
    }
    platformClock.observe(result.date, clock.monotonicMs() - startedMs, platformClock.originMs)
  }

  const headerFor = (request: PartnerRequest, { kid }: SigningKey, lifetimeS: number): ProtectedHeader => {
    const iat = Math.floor(platformClock.nowMs() / 1000)
    const htu = `${baseUrl}${request.path}`
    return { alg: 'RS256', kid, jti: newJti(), iat, exp: iat + lifetimeS, htm: request.method, htu }
  }

  return {
    attemptLifetimeMs: attemptLifetimeMsOf(options.attemptTimeoutMs),

    learnClock() {
      learning ??= askDate()
      return learning
    },

    async attempt(operation, request, timeoutMs, assertMayBegin = () => undefined) {
      const { clock, connection } = options
      const endsMs = clock.monotonicMs() + timeoutMs
      const bytes = Buffer.from(request.body, 'utf8')
      const { apiKey, signingKey } = credentials()
      const header = headerFor(request, signingKey, attemptLifetimeS)
      const signature = await signing.seal(header, bytes, signingKey.privateKey)
      const headers = ['accept', 'application/json', 'user-agent', options.userAgent, signatureHeaderName, signature]
      if (operation.auth === 'service') headers.push(apiKeyHeaderName, apiKey)
      if (request.method !== 'GET') headers.push('content-type', 'application/json')
      const body = request.method === 'GET' ? null : bytes
      const signed = { method: request.method, path: `${pathPrefix}${request.path}`, headers, body }
      const restMs = endsMs - clock.monotonicMs()
      assertMayBegin()
      // The process was paused, and its envelope is old.
      if (restMs <= 0)
        return { kind: 'failed', wasSent: false, cause: new NotBegunError(`no signature within ${timeoutMs} ms`) }
      return connection.send(signed, { timeoutMs: restMs })
    },

    async envelope(request) {
      const { signingKey } = credentials()
      const header = headerFor(request, signingKey, limits.envelopeLifetimeS)
      const signature = await signing.seal(header, Buffer.from(request.body, 'utf8'), signingKey.privateKey)
      return {
        method: request.method,
        url: `${origin}${pathPrefix}${request.path}`,
        headers: { 'Content-Type': 'application/json', [signatureHeaderName]: signature },
        body: request.body,
        expiresAt: new Date(header.exp * 1000).toISOString(),
      }
    },
  }
}
