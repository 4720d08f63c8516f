import { readEvent } from '../../contract/events.ts'
import { envelopeErrorInWords } from '../../contract/faults-in-words.ts'
import {
  type EnvelopeOperation,
  operations,
  type PlatformOperation,
  requestOf,
  type VerifyOperation,
} from '../../contract/operations.ts'
import { decodeUtf8 } from '../../contract/strict-json.ts'
import { terminalOutcome } from '../../contract/transaction.ts'
import type { PartnerApi } from '../platform/partner-api.ts'
import { type CallAnswer, type CallRefusal, refuse } from './answer.ts'
import type { Call } from './call.ts'
import type { Listings } from './listings.ts'
import type { OpenWebhook } from './open-webhook.ts'

/** Makes the function that signs a request for the game client. It sends nothing. */
export function envelopeSealer(partnerApi: PartnerApi, listings: Listings) {
  return async ({ operation, input }: Call<EnvelopeOperation>): Promise<CallAnswer> => {
    const sealed: PlatformOperation = operations[operation.seals]
    if (sealed.reports === 'listing') await listings.begin(String(input['itemRef']))
    const carried = await partnerApi.envelope(requestOf(sealed, input))
    return { ok: true, dataText: JSON.stringify(carried) }
  }
}

/**
 * Makes the function that checks a webhook for game servers that cannot do it themselves.
 *
 * @param hasKeys Whether keys of the platform are configured now. Without them the call is refused.
 */
export function webhookVerifier(openWebhook: OpenWebhook, hasKeys: () => boolean) {
  return async (call: Call<VerifyOperation>): Promise<CallAnswer> => {
    if (!hasKeys()) return refuse('WEBHOOK_NOT_CONFIGURED')
    const body = rawBodyOf(call.input)
    if ('ok' in body) return body
    const opening = await openWebhook.open({ headerLines: [String(call.input['signature'])], body })
    if (!opening.ok) return refuse('WEBHOOK_REFUSED', { reason: envelopeErrorInWords(opening) })
    const text = decodeUtf8(body)
    const event = text === undefined ? undefined : readEvent(text)
    if (!event) return refuse('WEBHOOK_UNKNOWN')
    const outcome =
      event.event === 'transaction_terminal'
        ? `,"outcome":${JSON.stringify(terminalOutcome(event.paymentStatus, event.deliveryStatus))}`
        : ''
    return { ok: true, dataText: `{"event":${text}${outcome}}` }
  }
}

/** The received bytes, or why there are none. */
function rawBodyOf({ body, bodyBase64 }: Readonly<Record<string, unknown>>): Uint8Array | CallRefusal {
  if ((typeof body === 'string') === (typeof bodyBase64 === 'string'))
    return refuse('WEBHOOK_BODY_INVALID', { problem: 'missing' })
  if (typeof body === 'string') return Buffer.from(body, 'utf8')
  const bytes = Buffer.from(String(bodyBase64), 'base64')
  return bytes.toString('base64') === bodyBase64 ? bytes : refuse('WEBHOOK_BODY_INVALID', { problem: 'not-base64' })
}
