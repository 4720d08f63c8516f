import { createPrivateKey } from 'node:crypto'
import { apiKeyHeaderName, type ProtectedHeader } from '../../contract/envelope/protected-header.ts'
import { limits } from '../../contract/limits.ts'
import { operations, type PlatformOperationName, requestOf } from '../../contract/operations.ts'
import { readStrictJson } from '../../contract/strict-json.ts'
import { Refusal, refuse } from '../marketplace/refusal.ts'
import type { PostOutcome } from '../webhooks/webhook-post.ts'
import type { ControlParts } from './control/control-parts.ts'

/** Makes what calls partner routes in place of a game server. */
export function standIn({ platform, directory, partnerUrl, post }: ControlParts) {
  const { tables, clock, random, signing } = platform
  let calls = 0

  /**
   * Signs with the game server's own key and sends to the stub's own address. So every rule applies, faults apply, and
   * the call appears in the list of requests.
   *
   * @throws {Refusal} SIGNING_KEY_NOT_HERE where the game server made its key pair itself; STAND_IN_REFUSED with status and
   *   message of the platform's refusal; STAND_IN_UNANSWERED.
   */
  return async (
    gameServerId: number,
    name: PlatformOperationName,
    input: Readonly<Record<string, unknown>>,
  ): Promise<void> => {
    const key = tables.gameServers.keyOf(gameServerId)
    const apiKey = directory.byId(gameServerId)?.apiKey
    if (!key?.privateKeyPem || !apiKey) throw refuse('SIGNING_KEY_NOT_HERE')
    const { method, path, body } = requestOf(operations[name], input)
    const url = `${partnerUrl()}${path}`
    const nowMs = clock.nowMs()
    const iat = Math.floor(nowMs / 1_000)
    // Never the same twice, after a restart with the same seed either.
    const jti = random.uuid('stand-in-jti', `${nowMs}:${++calls}`)
    const times = { iat, exp: iat + limits.envelopeLifetimeS }
    const header: ProtectedHeader = { alg: 'RS256', kid: key.kid, jti, ...times, htm: method, htu: url }
    const signature = await signing.seal(header, Buffer.from(body), createPrivateKey(key.privateKeyPem))
    const headers = { [apiKeyHeaderName]: apiKey }
    orRefuse(await post({ url, body, signature, headers, timeoutMs: limits.webhookTimeoutMs }))
  }
}

/** @throws {Refusal} Unless it is a success. */
function orRefuse(outcome: PostOutcome): void {
  if (outcome.kind === 'failure') throw refuse('STAND_IN_UNANSWERED', outcome)
  const { status, body } = outcome
  if (status === 200) return
  const reading = readStrictJson(body)
  const message = reading.ok ? String(reading.object.value['message']) : ''
  if (status < 400 || !message) throw refuse('STAND_IN_UNANSWERED', { failure: `status ${status}` })
  throw new Refusal('STAND_IN_REFUSED', status, message)
}
