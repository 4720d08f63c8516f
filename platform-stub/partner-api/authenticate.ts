import { type EnvelopeError, type EnvelopeStep, openEnvelope } from '../../contract/envelope/open.ts'
import { apiKeyHeaderName, signatureHeaderName } from '../../contract/envelope/protected-header.ts'
import { type HttpRequest, linesOf } from '../http/http-request.ts'
import type { Directory } from '../marketplace/game-servers/directory.ts'
import type { RefusalCode } from '../marketplace/messages.ts'
import type { Platform } from '../marketplace/platform.ts'
import { type Refusal, refuse } from '../marketplace/refusal.ts'
import type { Route } from './partner-routes.ts'

/** Who sent a request, by an envelope that opened. Its jti is still to be recorded. */
export interface Caller {
  readonly gameServerId: number
  readonly kid: string
  readonly jti: string
  /** Unix seconds. */
  readonly exp: number
}

/** Why no caller was found, for the journal. Holds no secret. */
export interface AuthRefusal {
  readonly refusal: Refusal
  readonly step: EnvelopeStep | 'api-key' | 'api-key-owner' | 'replay'
  readonly expected: string
  readonly received: string
  /** At the step `signature`: what was wrong with it. */
  readonly cause: EnvelopeError['cause'] | null
  /** Whose envelope it claims to be, where that could be read. */
  readonly kid: string | null
}

/** Names of headers, as `HttpRequest` has them. */
const apiKeyName = apiKeyHeaderName.toLowerCase()
export const signatureName = signatureHeaderName.toLowerCase()

/**
 * Checks a request's credentials for its route: the API key and an envelope of the same game server, or only the
 * envelope; an API key next to it is not even looked at.
 *
 * @see interface section 5
 */
export async function authenticate(
  request: HttpRequest,
  body: Buffer,
  auth: Route['auth'],
  { directory, platform: { clock, signing } }: { readonly directory: Directory; readonly platform: Platform },
): Promise<Caller | AuthRefusal> {
  const owner = auth === 'service' ? ownerOfApiKey(linesOf(request, apiKeyName), directory) : undefined
  if (typeof owner === 'object') return owner
  const { method, path } = request
  const rules = { keys: directory.keys, nowS: clock.nowMs() / 1_000, leewayS: 0, request: { method, path } }
  const opening = await openEnvelope({ headerLines: linesOf(request, signatureName), body }, rules, signing.check)
  if (!opening.ok) {
    const { step, expected, received, kid = null, cause = null } = opening
    return { refusal: refuse('ENVELOPE_REFUSED', opening), step, expected, received, cause, kid }
  }
  const { kid, jti, exp } = opening
  const gameServerId = directory.idOfKid(kid)
  if (gameServerId === undefined || jti === undefined) throw new Error(`envelope by ${kid} opened without its parts`)
  if (owner !== undefined && owner !== gameServerId) {
    const refusal = refuse('API_KEY_OF_ANOTHER')
    const expected = `a kid of game server ${owner}, whose API key was sent`
    return {
      refusal,
      step: 'api-key-owner',
      expected,
      received: `a kid of game server ${gameServerId}`,
      cause: null,
      kid,
    }
  }
  return { gameServerId, kid, jti, exp }
}

function ownerOfApiKey(lines: readonly string[], directory: Directory): number | AuthRefusal {
  const [apiKey, ...others] = lines
  if (apiKey === undefined || others.length > 0) {
    return apiKeyRefusal('API_KEY_MISSING', 'one X-Service-Api-Key header', `${lines.length}`)
  }
  const owner = directory.idOfApiKey(apiKey)
  return owner ?? apiKeyRefusal('API_KEY_UNKNOWN', 'the API key of a registered game server', 'another one')
}

function apiKeyRefusal(
  code: Extract<RefusalCode, 'API_KEY_MISSING' | 'API_KEY_UNKNOWN'>,
  expected: string,
  received: string,
): AuthRefusal {
  return { refusal: refuse(code), step: 'api-key', expected, received, cause: null, kid: null }
}
