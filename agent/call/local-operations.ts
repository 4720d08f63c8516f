import type { KeyObject } from 'node:crypto'
import { openEnvelope } from '../../contract/envelope/open.ts'
import { webhookEvents } from '../../contract/events.ts'
import { envelopeErrorInWords } from '../../contract/faults-in-words.ts'
import { type EnvelopeOperation, operations, requestOf, type VerifyOperation } from '../../contract/operations.ts'
import { decodeUtf8, readStrictJson } from '../../contract/strict-json.ts'
import { agentLimits } from '../config/agent-limits.ts'
import type { PartnerApi } from '../platform/partner-api.ts'
import type { PlatformClock } from '../platform/platform-clock.ts'
import { type CallAnswer, refusal } from './answer.ts'
import type { Call } from './call.ts'
import { messages } from './messages.ts'

/** Makes the function that signs a request for the game client. It sends nothing. */
export function envelopeSealer(partnerApi: PartnerApi) {
  return async (call: Call<EnvelopeOperation>): Promise<CallAnswer> => {
    const carried = await partnerApi.envelope(requestOf(operations[call.operation.seals], call.input))
    return { ok: true, dataText: JSON.stringify(carried) }
  }
}

/**
 * Makes the function that checks a webhook by the five steps of the interface's section 5, for game servers that cannot
 * do it themselves.
 *
 * @param platformKeys By kid; empty where none is configured.
 */
export function webhookVerifier(
  platformKeys: ReadonlyMap<string, KeyObject>,
  platformClock: PlatformClock,
  partnerApi: Pick<PartnerApi, 'learnClock'>,
) {
  return async (call: Call<VerifyOperation>): Promise<CallAnswer> => {
    if (platformKeys.size === 0) return refusal(503, messages.verifyNotConfigured)
    const body = rawBodyOf(call.input)
    if (typeof body === 'string') return refusal(400, body)
    const received = { headerLines: [String(call.input['signature'])], body }
    const openWith = (leewayS: number) =>
      openEnvelope(received, { keys: platformKeys, nowS: platformClock.nowMs() / 1000, leewayS, request: null })
    let opening = await openWith(agentLimits.webhookLeewayS)
    if (!opening.ok && opening.step === 'expiry' && (await openWith(Number.POSITIVE_INFINITY)).ok) {
      // Only the time is wrong, and it may be the host's time.
      await partnerApi.learnClock()
      opening = await openWith(agentLimits.webhookLeewayS)
    }
    if (!opening.ok) return refusal(401, messages.verifyFailed(envelopeErrorInWords(opening)))
    const text = decodeUtf8(body)
    return text !== undefined && isEvent(text)
      ? { ok: true, dataText: `{"event":${text}}` }
      : refusal(400, messages.verifyNotEvent)
  }
}

/** The received bytes, or in words why there are none. */
function rawBodyOf({ body, bodyBase64 }: Readonly<Record<string, unknown>>): Uint8Array | string {
  if ((typeof body === 'string') === (typeof bodyBase64 === 'string')) return messages.verifyBodyMissing
  if (typeof body === 'string') return Buffer.from(body, 'utf8')
  const bytes = Buffer.from(String(bodyBase64), 'base64')
  return bytes.toString('base64') === bodyBase64 ? bytes : messages.verifyBodyBase64
}

function isEvent(text: string): boolean {
  const reading = readStrictJson(text, { numbers: 'any' })
  if (!reading.ok) return false
  return Object.values(webhookEvents).some(({ payload }) => payload.safeParse(reading.object.value).success)
}
