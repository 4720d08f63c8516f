import { limits } from '../../contract/limits.ts'
import { listingMoves } from '../../contract/listing.ts'
import type { PlatformOperation } from '../../contract/operations.ts'
import { transactionMoves, transactionPhases } from '../../contract/transaction.ts'

// Only the Markdown that the reference page understands: paragraphs, lists, tables, `code`.

const seconds = (ms: number): string => `${ms / 1_000} s`

/** Rules of the whole interface. */
export const introduction = `
Sells in-game items for real money on behalf of game servers. A player links a character, the game server registers offers, a buyer pays in a web checkout, the platform orders the transfer by webhook, and the game server delivers the item inside the game and says so.

This document is written by the code of platform-stub from the same tables that its routes run on. Of the statuses, the interface itself states 200, 401 for an envelope that was used before, 400 for what a seller lacks and 409 for an itemRef that was used before. All others are the stub's choice, as are the fields beyond those listed: do not build on them.

- A success answers 200, on every route. Its body is an object with one field, \`data\`; a PUT answers with an empty body.
- A refusal is \`{ "message": … }\` at the root, in Brazilian Portuguese, ready to be shown to the player.
- Money is a whole number of BRL cents. Times are ISO-8601 in UTC.
- A request body is JSON of at most ${limits.bodyBytesMax} bytes: UTF-8, no name twice, no integer beyond ±9007199254740991. Fields that are not known are let through.
`.trim()

/** How a partner signs. @see interface section 5 */
export const signatureText = `
A detached JWS (RFC 7515, appendix F): \`<protected>..<signature>\`, the middle segment empty. The payload stays base64url-encoded in what is signed, so this is not RFC 7797.

- The signing input is \`base64url(protected) + "." + base64url(body)\`, over the exact bytes of the body; nothing after the dot for GET.
- The protected header has \`alg\` (\`RS256\`, no other), \`kid\` (of the registered key), \`jti\` (1 to ${limits.envelopeJtiLengthMax} characters, new for every request) and \`exp\` (Unix seconds, at most ${limits.envelopeExpAheadSMax} s ahead). \`htm\` and \`htu\`, where present, are the method and the URL without query.
- A jti that was used before is refused with 401, until its exp.
- On routes with only this signature, which a game client carries, the kid says who calls.
`.trim()

/** How a receiver verifies. @see interface section 5 */
export const webhookSignatureText = `
A detached JWS by the platform's key. All five steps, before anything is done:

- Split the header's value into \`<protected>..<signature>\`; the middle segment is empty.
- Decode the protected segment. Require \`alg\` to be \`RS256\` and \`kid\` to be the platform's.
- Build the signing input: \`base64url(protected) + "." + base64url(body)\`, from the bytes as they were received, before any parsing.
- Verify the signature with the platform's public key.
- Check \`exp\`, which the platform sets ${limits.envelopeLifetimeS / 60} minutes ahead. Each attempt is signed again.
`.trim()

/** Whether a call may be repeated, by the retry class of its operation. */
export const retryTexts: Readonly<Record<PlatformOperation['retry'], string>> = {
  safe: 'Retry: safe. It changes nothing, so it may be repeated at any time, with a new envelope each time.',
  idempotent:
    'Retry: idempotent. After a lost answer send it again, with a new envelope, until there is one; done twice it has the same effect as once.',
  once: 'Retry: once. A repetition would be another one, so after a lost answer find out whether the first one was done before you send it again.',
}

/** The rule for operations whose calls must stay in order. */
export function orderText(field: string): string {
  return `Order: send calls with the same \`${field}\` one after another, so that an older one never arrives last.`
}

/** When a webhook comes again. @see interface section 6, delivery rules */
export const redeliveryText = `
Any 2xx ends the delivery. Any other status, a network error, or no complete answer within ${seconds(limits.webhookTimeoutMs)} makes the platform send it again: ${seconds(limits.webhookRetryDelayMsFirst)} after the first attempt, then twice as long each time, up to ${limits.webhookRetryDelayMsMax / 3_600_000} hour, without end. Redirects are not followed.

Delivery is at least once and in no promised order: deduplicate by \`transactionId\`; to process an event again must be harmless.
`.trim()

/** The description of each event. */
export const eventTexts = {
  transfer_order:
    'Sent when the payment is confirmed, and again after a `TEMPORARY` delivery failure. It stops when the transaction is over. A 2xx ends the sending: from then on the order belongs to the game server, and nothing reminds it. Answer with the stock that is left. Only `transaction.delivery` or `transaction.delivery-failure` says whether the item was delivered.',
  transaction_terminal:
    'Sent once a transaction has ended, and until it is acknowledged. The pair of `paymentStatus` and `deliveryStatus` says how. It may come before an order that was delayed on its way: the end counts.',
} as const

const tag = (name: string, description: string) => ({ name, description })

/** The tags of the document: the first words of the operations' names, and `webhooks` for the events. */
export const tags = [
  tag('character', 'Linking game characters to platform accounts.'),
  tag('market', `Listings, their stock, and the right to sell.\n\n${listingStates()}`),
  tag('transaction', `Purchases, from their creation to their end.\n\n${transactionStates()}`),
  tag(
    'webhooks',
    'Calls of the platform to the game server: POST to its `webhookUrl`, with `Content-Type: application/json`.',
  ),
]

function listingStates(): string {
  const rows = Object.entries(listingMoves).flatMap(([status, moves]) =>
    Object.entries(moves).map(([trigger, next]) => [code(status), code(trigger), next ? code(next) : 'refused, 409']),
  )
  return [
    'Life of a listing. Withdrawal is final; sold out is an `observedQuantity` of 0, not a status.',
    table(['status', 'action', 'then'], rows),
  ].join('\n\n')
}

function transactionStates(): string {
  const phases = Object.entries(transactionPhases).map(([phase, { paymentStatus, deliveryStatus, outcome }]) => [
    phase,
    code(paymentStatus),
    deliveryStatus ? code(deliveryStatus) : 'null',
    outcome ? code(outcome) : '',
  ])
  const moves = Object.entries(transactionMoves).flatMap(([phase, triggers]) =>
    Object.entries(triggers).map(([trigger, next]) => [phase, trigger, next]),
  )
  return [
    'Two statuses say the state of a transaction. A delivered one is completed when it has a `completedAt`.',
    table(['phase', 'paymentStatus', 'deliveryStatus', 'outcome'], phases),
    'Every move there is. A move from a phase to the same phase means that the report was accepted before: repeating it answers the same. A rejected dispute goes back to where it was. A move that is not listed is refused with 409 and changes nothing.',
    table(['from', 'trigger', 'to'], moves),
  ].join('\n\n')
}

function code(text: string): string {
  return `\`${text}\``
}

function table(columns: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
  return [line(columns), line(columns.map(() => '---')), ...rows.map(line)].join('\n')
}
