import { limits } from '../../contract/limits.ts'
import type { PlatformOperation, PlatformOperationName } from '../../contract/operations.ts'
import { purchase } from '../../contract/transaction.ts'
import { parseFields } from '../http/json-body.ts'
import type { RefusalCode } from '../marketplace/messages.ts'
import type { NamedOperation } from '../marketplace/platform-operations.ts'
import { type FactsOf, type Refusal, refuse } from '../marketplace/refusal.ts'
import { referenceToRefusal } from './schemas.ts'
import { contentOf, type ResponseObject } from './shape.ts'

/** What is wrong, for developers. The refusal itself has the player's words. */
const summaries = {
  BODY_INVALID: 'A field is missing or wrong, which the message names, or the body is not strict JSON.',
  BODY_NOT_EMPTY_OBJECT: 'The body is not the empty object.',
  SELLER_ACCOUNT_MISSING: 'The seller has no account.',
  SELLER_NOT_LINKED: "The seller's character is not linked.",
  SELLER_BANNED: "The seller's character is banned.",
  SELLER_BLOCKED: "The seller's sales are blocked.",
  SELLER_RECIPIENT_MISSING: 'The seller has no approved payout recipient.',
  PRICE_TOO_LARGE: 'Price times quantity is more than 9007199254740991 cents.',
  API_KEY_MISSING: 'Not exactly one API key.',
  API_KEY_UNKNOWN: 'The API key is not known.',
  API_KEY_OF_ANOTHER: 'API key and signature are of different game servers.',
  ENVELOPE_REFUSED: 'The signature is not valid. `GET /stub/requests` says at which step and what was expected.',
  ENVELOPE_REPLAYED: 'The envelope was used before: every request wants a new jti.',
  LISTING_UNKNOWN: 'The game server has no listing with this itemRef.',
  LISTING_WITHDRAWN: 'The listing was withdrawn.',
  ITEM_REF_USED: 'The itemRef was used before, perhaps by a listing that was withdrawn.',
  STOCK_TOO_LOW: 'More than the estimate of the stock.',
  TRANSACTION_UNKNOWN: 'The game server has no such transaction.',
  TRANSACTION_MOVE_REFUSED: 'The state of the transaction does not allow this. Nothing was changed.',
  BODY_TOO_LARGE: `The body has more than ${limits.bodyBytesMax} bytes.`,
  BODY_NOT_JSON_TYPE: 'Not exactly one `Content-Type: application/json`.',
} as const satisfies Partial<Record<RefusalCode, string>>
type DocumentedCode = keyof typeof summaries

/** What the texts of the examples need to know. */
const exampleFacts: { readonly [Code in DocumentedCode]?: FactsOf<Code>[0] } = {
  BODY_INVALID: { fault: (parseFields(purchase, {}) as Refusal).message },
  ENVELOPE_REFUSED: { step: 'signature' },
  LISTING_UNKNOWN: { itemRef: 'offer-1' },
  ITEM_REF_USED: { itemRef: 'offer-1' },
  STOCK_TOO_LOW: { available: 2 },
  TRANSACTION_MOVE_REFUSED: { paymentStatus: 'PAGO', deliveryStatus: 'ENTREGUE' },
  BODY_TOO_LARGE: { bytesMax: limits.bodyBytesMax },
}

function exampleOf(code: DocumentedCode): Refusal {
  const facts = [exampleFacts[code]] as unknown as FactsOf<DocumentedCode>
  return refuse(code, ...facts)
}

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
export function refusalResponses(sharing: readonly NamedOperation[]): Record<string, ResponseObject> {
  const codes = new Set(sharing.flatMap(({ name, operation }) => [...refusalsOfKind(operation), ...ownRefusals[name]]))
  const byStatus = Map.groupBy([...codes], (code) => exampleOf(code).status)
  const responses = [...byStatus].map(([status, members]) => {
    const texts = members.map((code) => summaries[code])
    const list = texts.length === 1 ? texts.join() : texts.map((text) => `- ${text}`).join('\n')
    return [String(status), responseOf(list, members.map(exampleOf))]
  })
  const others = 'Anything else: 500 when the platform cannot write, and whatever its fault injection was asked for.'
  return { ...Object.fromEntries(responses), default: responseOf(others, [refuse('STORE_FULL')]) }
}

function responseOf(description: string, refusals: readonly Refusal[]): ResponseObject {
  const examples = Object.fromEntries(refusals.map(({ code, message }) => [code, { value: { message } }]))
  return { description, content: contentOf(referenceToRefusal, examples) }
}
