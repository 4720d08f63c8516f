import { inputErrorInWords } from '../../contract/faults-in-words.ts'
import { limits } from '../../contract/limits.ts'
import type { PlatformOperation, PlatformOperationName } from '../../contract/operations.ts'
import { purchase } from '../../contract/transaction.ts'
import { type Refusal, refuse } from '../marketplace/refusal.ts'
import { referenceToRefusal } from './schemas.ts'
import type { ResponseObject } from './shape.ts'

/** What is wrong, for developers, and the refusal with the player's words. */
type DocumentedRefusal = readonly [summary: string, example: Refusal]

const documented = {
  BODY_INVALID: [
    'A field is missing or wrong, which the message names, or the body is no strict JSON.',
    refuse('BODY_INVALID', { fault: missingField() }),
  ],
  BODY_NOT_EMPTY_OBJECT: ['The body is not the empty object.', refuse('BODY_NOT_EMPTY_OBJECT')],
  SELLER_ACCOUNT_MISSING: ['The seller has no account.', refuse('SELLER_ACCOUNT_MISSING')],
  SELLER_NOT_LINKED: ["The seller's character is not linked.", refuse('SELLER_NOT_LINKED')],
  SELLER_BANNED: ["The seller's character is banned.", refuse('SELLER_BANNED')],
  SELLER_BLOCKED: ["The seller's sales are blocked.", refuse('SELLER_BLOCKED')],
  SELLER_RECIPIENT_MISSING: ['The seller has no approved payout recipient.', refuse('SELLER_RECIPIENT_MISSING')],
  PRICE_TOO_LARGE: ['Price times quantity is more than 9007199254740991 cents.', refuse('PRICE_TOO_LARGE')],
  API_KEY_MISSING: ['Not exactly one API key.', refuse('API_KEY_MISSING')],
  API_KEY_UNKNOWN: ['The API key is not known.', refuse('API_KEY_UNKNOWN')],
  API_KEY_OF_ANOTHER: ['API key and signature are of different game servers.', refuse('API_KEY_OF_ANOTHER')],
  ENVELOPE_REFUSED: [
    'The signature does not hold. `GET /stub/requests` says at which step and what was expected.',
    refuse('ENVELOPE_REFUSED', { step: 'signature' }),
  ],
  ENVELOPE_REPLAYED: ['The envelope was used before: every request wants a new jti.', refuse('ENVELOPE_REPLAYED')],
  LISTING_UNKNOWN: [
    'The game server has no listing with this itemRef.',
    refuse('LISTING_UNKNOWN', { itemRef: 'offer-1' }),
  ],
  LISTING_WITHDRAWN: ['The listing was withdrawn.', refuse('LISTING_WITHDRAWN')],
  ITEM_REF_USED: [
    'The itemRef was used before, be it by a listing that was withdrawn.',
    refuse('ITEM_REF_USED', { itemRef: 'offer-1' }),
  ],
  STOCK_TOO_LOW: ['More than the estimate of the stock.', refuse('STOCK_TOO_LOW', { available: 2 })],
  TRANSACTION_UNKNOWN: ['The game server has no such transaction.', refuse('TRANSACTION_UNKNOWN')],
  TRANSACTION_MOVE_REFUSED: [
    'The state of the transaction does not allow this. Nothing was changed.',
    refuse('TRANSACTION_MOVE_REFUSED', { paymentStatus: 'PAGO', deliveryStatus: 'ENTREGUE' }),
  ],
  BODY_TOO_LARGE: [
    `The body has more than ${limits.bodyBytesMax} bytes.`,
    refuse('BODY_TOO_LARGE', { bytesMax: limits.bodyBytesMax }),
  ],
  BODY_NOT_JSON_TYPE: ['Not exactly one `Content-Type: application/json`.', refuse('BODY_NOT_JSON_TYPE')],
} satisfies Record<string, DocumentedRefusal>
type DocumentedCode = keyof typeof documented

/** Refusals that are particular to an operation. */
const ownRefusals: Readonly<Record<PlatformOperationName, readonly DocumentedCode[]>> = {
  'character.link': [],
  'market.register': [
    'SELLER_ACCOUNT_MISSING',
    'SELLER_NOT_LINKED',
    'SELLER_BANNED',
    'SELLER_BLOCKED',
    'SELLER_RECIPIENT_MISSING',
    'PRICE_TOO_LARGE',
    'ITEM_REF_USED',
  ],
  'market.adjust-stock': ['LISTING_UNKNOWN', 'LISTING_WITHDRAWN'],
  'market.withdraw': ['LISTING_UNKNOWN'],
  'market.eligibility': [],
  'transaction.create': ['LISTING_UNKNOWN', 'LISTING_WITHDRAWN', 'STOCK_TOO_LOW'],
  'transaction.get': ['TRANSACTION_UNKNOWN'],
  'transaction.delivery': ['TRANSACTION_UNKNOWN', 'TRANSACTION_MOVE_REFUSED'],
  'transaction.delivery-failure': ['TRANSACTION_UNKNOWN', 'TRANSACTION_MOVE_REFUSED'],
}

/** Refusals that depend on the kind of request. */
function refusalsOfKind({ auth, body }: PlatformOperation): DocumentedCode[] {
  const hasApiKey = auth === 'service'
  return [
    'BODY_INVALID',
    ...(body === 'empty-object' ? (['BODY_NOT_EMPTY_OBJECT'] as const) : []),
    ...(hasApiKey ? (['API_KEY_MISSING', 'API_KEY_UNKNOWN', 'API_KEY_OF_ANOTHER'] as const) : []),
    'ENVELOPE_REFUSED',
    'ENVELOPE_REPLAYED',
    ...(body === 'none' ? [] : (['BODY_TOO_LARGE', 'BODY_NOT_JSON_TYPE'] as const)),
  ]
}

/** The refusals of operations that share a route, by status, each with its texts. */
export function refusalResponses(
  sharing: readonly { readonly name: PlatformOperationName; readonly operation: PlatformOperation }[],
): Record<string, ResponseObject> {
  const codes = new Set(sharing.flatMap(({ name, operation }) => [...refusalsOfKind(operation), ...ownRefusals[name]]))
  const byStatus = Map.groupBy(codes, (code) => documented[code][1].status)
  const statuses = [...byStatus].map(([status, members]) => [String(status), responseOf(members)])
  return {
    ...Object.fromEntries(statuses),
    default: {
      description: 'Anything else: 500 when the platform cannot write, and whatever its fault injection was asked for.',
      content: { 'application/json': { schema: referenceToRefusal, examples: examplesOf([refuse('STORE_FULL')]) } },
    },
  }
}

function responseOf(codes: readonly DocumentedCode[]): ResponseObject {
  return {
    description: listOf(codes.map((code) => documented[code][0])),
    content: {
      'application/json': {
        schema: referenceToRefusal,
        examples: examplesOf(codes.map((code) => documented[code][1])),
      },
    },
  }
}

function listOf(summaries: readonly string[]): string {
  return summaries.length === 1 ? summaries.join() : summaries.map((summary) => `- ${summary}`).join('\n')
}

function examplesOf(refusals: readonly Refusal[]) {
  return Object.fromEntries(refusals.map(({ code, message }) => [code, { value: { message } }]))
}

function missingField(): string {
  const [issue] = purchase.safeParse({}).error?.issues ?? []
  if (!issue) throw new Error('an empty purchase passed')
  return inputErrorInWords(issue, {})
}
