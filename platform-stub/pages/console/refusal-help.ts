import { envelopeSteps } from '../../../contract/envelope/open.ts'
import type { AuthenticationFault } from '../../developer/request-journal.ts'

type AuthenticationStep = AuthenticationFault['step']

/** The checks of a request's credentials, in the order in which they are made, each with help for its failure. */
export const stepHelp = {
  'api-key': 'Send X-Service-Api-Key once, with the key from agent.env. Signature-only routes take none.',
  'header-line': 'Send one X-Platform-Signature header. Proxies sometimes double or drop it.',
  segments:
    'The form is <protected>..<signature>. A library for compact JWS puts the payload between the dots: take it out.',
  encoding: 'Use base64url: - and _ in place of + and /, and no = at the end.',
  json: 'The protected segment has to decode to one JSON object in UTF-8, without a byte order mark and without a name twice.',
  'forbidden-parameter':
    'Leave out crit, b64 and every embedded or remote key. The payload stays base64url-encoded in the signing input.',
  algorithm: 'Sign with RS256 (RSASSA-PKCS1-v1_5 and SHA-256). PS256 and HS256 are refused.',
  kid: 'The kid must be the one that the game server was registered with. It is in agent.env.',
  expiry: 'Look at the clock difference below. exp is in seconds, not milliseconds, and at most 10 minutes ahead.',
  jti: 'Give every request a new jti, a string of 1 to 255 characters.',
  method: 'htm names another method than the request has. Sign for the method that you send.',
  url: 'htu names another path than the request has. Compare them letter by letter, without the query.',
  signature:
    'The header is sound, so either the bytes differ or the key does. Compare the body’s SHA-256 with that of what you signed: if they differ, the body was serialised again after signing. If they are equal, sign the signing input below and compare; if that is the same too, it is the wrong private key.',
  'api-key-owner': 'API key and kid belong to two game servers. Take both from the same agent.env.',
  replay: 'This envelope was used before. Sign anew, with a new jti, at every attempt, retries included.',
} as const satisfies Record<AuthenticationStep, string>

/** All steps in order: the key, the envelope, then those that need both. */
export const authenticationSteps: readonly AuthenticationStep[] = [
  'api-key',
  ...envelopeSteps,
  'api-key-owner',
  'replay',
]
