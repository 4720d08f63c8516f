import * as z from 'zod/mini'
import { characterLink, characterLinkRequest, eligibility } from './character.ts'
import { characterRef, name, readableMomentOf, transactionId } from './fields.ts'
import { listing, listingRegistration, stockAdjustment, withdrawal } from './listing.ts'
import { orderReplyFields } from './order-reply.ts'
import {
  createdTransaction,
  deliveryConfirmation,
  deliveryFailure,
  deliveryFailureReport,
  proofOfDelivery,
  proofOfFailure,
  purchase,
  transactionState,
} from './transaction.ts'

/**
 * Says what may be repeated. `safe` changes nothing. `idempotent` has the same effect when it runs again. `once` must
 * reach the platform at most one time, because a repetition is another listing, link or purchase.
 */
export type RetryClass = 'safe' | 'idempotent' | 'once'

/**
 * Maturity marker of the interface's section 9. Every route and both webhooks are ready. When one is not, the marker
 * becomes a field of its entry.
 */
export const maturity = 'ready'

type Fields = Readonly<Record<string, unknown>>

interface Described {
  /** One line, for `/operations`, the command line and OpenAPI. */
  readonly summary: string
  /** The same in Brazilian Portuguese, for `/operations` and the command line. */
  readonly summaryPt: string
  readonly input: z.ZodMiniObject
}

/** An operation that is one route of the platform. */
export interface PlatformOperation extends Described {
  readonly kind: 'platform'
  readonly method: 'GET' | 'POST' | 'PUT'
  /** The path below the platform's base address without its `/v1`. `{field}` is filled from the input. */
  readonly path: string
  /** `service`: API key and signature. `signature-only`: only the signature. */
  readonly auth: 'service' | 'signature-only'
  readonly retry: RetryClass
  /** Calls with the same value of this field reach the platform in the order in which they were made. */
  readonly orderedBy: 'itemRef' | 'transactionId' | null
  /** Where the request's body comes from: the input without its path fields, an empty object, or nothing. */
  readonly body: 'input' | 'empty-object' | 'none'
  /** Body fields with a fixed value. */
  readonly implied: Readonly<Record<string, string>>
  /** The shape of the answer's `data`; null where the platform answers with an empty body. */
  readonly output: z.ZodMiniObject | null
  /** A field that must equal the input's, if the answer has it. Otherwise the answer is about something else. */
  readonly echoed: 'itemRef' | 'transactionId' | null
  /** The field of the answer with the moment from which the same call is a new one. Without it, or null there: never. */
  readonly successUntil?: 'retryAt'
  /**
   * Reads from `transaction.get` that the call was done, and returns its data; undefined if it does not show that.
   * Absent where nothing can prove the call.
   */
  readonly proof?: (transaction: Fields, input: Fields) => Fields | undefined
  /** What an accepted call says about an order, a stock or an item. */
  readonly reports?: 'delivery' | 'failure' | 'stock' | 'listing'
}

/** Signs the request of a platform operation for the game client and sends nothing. */
export interface EnvelopeOperation extends Described {
  readonly kind: 'envelope'
  readonly seals: 'market.register' | 'transaction.create'
}

/** Checks a webhook by the five steps of the interface's section 5 and sends nothing. */
export interface VerifyOperation extends Described {
  readonly kind: 'verify'
}

/** Reads or changes the orders that the agent keeps and sends nothing. */
export interface OrdersOperation extends Described {
  readonly kind: 'orders'
  readonly does: 'list' | 'take'
}

export type Operation = PlatformOperation | EnvelopeOperation | VerifyOperation | OrdersOperation

/** What a platform operation has unless its entry says otherwise. */
const platform = { kind: 'platform', orderedBy: null, implied: {}, echoed: null } as const

/**
 * Everything that both programs know about an operation. The agent's dispatch, `/operations`, the command line, the stub's
 * routes and OpenAPI derive from this table; nothing switches on a name.
 *
 * @see interface section 4
 */
export const operations = {
  'character.link': {
    ...platform,
    summary: 'Starts linking a game character to a platform account; the player confirms at the returned url.',
    summaryPt: 'Começa a vincular um personagem a uma conta da plataforma; o jogador confirma na url devolvida.',
    method: 'POST',
    path: '/v1/api/character-links',
    auth: 'service',
    retry: 'once',
    body: 'input',
    input: characterLinkRequest,
    output: characterLink,
  },
  'market.register': {
    ...platform,
    summary: "Registers a player's in-game offer as a listing.",
    summaryPt: 'Registra a oferta de um jogador como anúncio.',
    method: 'POST',
    path: '/v1/api/market/listings',
    auth: 'signature-only',
    retry: 'once',
    orderedBy: 'itemRef',
    body: 'input',
    input: listingRegistration,
    output: listing,
    echoed: 'itemRef',
    reports: 'listing',
  },
  'market.adjust-stock': {
    ...platform,
    summary: 'Reports the quantity of a listing that the game server sees as available now; 0 is sold out.',
    summaryPt: 'Informa quantas unidades do anúncio o servidor de jogo vê agora; 0 é esgotado.',
    method: 'PUT',
    path: '/v1/api/market/listings',
    auth: 'service',
    retry: 'idempotent',
    orderedBy: 'itemRef',
    body: 'input',
    implied: { action: 'ADJUST_STOCK' },
    input: stockAdjustment,
    output: null,
    reports: 'stock',
  },
  'market.withdraw': {
    ...platform,
    summary: 'Withdraws a listing for good.',
    summaryPt: 'Retira um anúncio para sempre.',
    method: 'PUT',
    path: '/v1/api/market/listings',
    auth: 'service',
    retry: 'idempotent',
    orderedBy: 'itemRef',
    body: 'input',
    implied: { action: 'WITHDRAW' },
    input: withdrawal,
    output: null,
  },
  'market.eligibility': {
    ...platform,
    summary: 'Says whether a character may list items. A hint, never a gate.',
    summaryPt: 'Informa se um personagem pode anunciar itens. É uma dica, nunca um bloqueio.',
    method: 'GET',
    path: '/v1/api/market/eligibility/{characterRef}',
    auth: 'service',
    retry: 'safe',
    body: 'none',
    input: z.looseObject({ characterRef }),
    output: eligibility,
  },
  'transaction.create': {
    ...platform,
    summary: 'Creates a purchase and returns the checkout address for the buyer.',
    summaryPt: 'Cria uma compra e devolve o endereço de pagamento para o comprador.',
    method: 'POST',
    path: '/v1/api/transactions',
    auth: 'signature-only',
    retry: 'once',
    body: 'input',
    input: purchase,
    output: createdTransaction,
  },
  'transaction.get': {
    ...platform,
    summary: 'Reads the state of a transaction.',
    summaryPt: 'Lê em que estado está uma transação.',
    method: 'GET',
    path: '/v1/api/transactions/{transactionId}',
    auth: 'service',
    retry: 'safe',
    body: 'none',
    input: z.looseObject({ transactionId }),
    output: transactionState,
    echoed: 'transactionId',
  },
  'transaction.delivery': {
    ...platform,
    summary: 'Confirms that the whole item of a paid transaction was transferred.',
    summaryPt: 'Confirma que o item inteiro de uma transação paga foi transferido.',
    method: 'POST',
    path: '/v1/api/transactions/{transactionId}/delivery',
    auth: 'service',
    retry: 'idempotent',
    orderedBy: 'transactionId',
    body: 'empty-object',
    input: z.looseObject({ transactionId }),
    output: deliveryConfirmation,
    echoed: 'transactionId',
    proof: proofOfDelivery,
    reports: 'delivery',
  },
  'transaction.delivery-failure': {
    ...platform,
    summary: 'Reports that an item could not be transferred: OUT_OF_STOCK refunds the buyer, TEMPORARY orders again.',
    summaryPt:
      'Informa que um item não pôde ser transferido: OUT_OF_STOCK devolve o dinheiro, TEMPORARY repete o pedido.',
    method: 'POST',
    path: '/v1/api/transactions/{transactionId}/delivery-failure',
    auth: 'service',
    retry: 'idempotent',
    orderedBy: 'transactionId',
    body: 'input',
    input: deliveryFailure,
    output: deliveryFailureReport,
    echoed: 'transactionId',
    successUntil: 'retryAt',
    proof: proofOfFailure,
    reports: 'failure',
  },
  'market.register.envelope': {
    kind: 'envelope',
    summary: 'Signs a listing registration for the game client to carry; sends nothing.',
    summaryPt: 'Assina o registro de um anúncio para o cliente do jogo levar; não envia nada.',
    seals: 'market.register',
    input: listingRegistration,
  },
  'transaction.create.envelope': {
    kind: 'envelope',
    summary: 'Signs a purchase for the game client to carry; sends nothing.',
    summaryPt: 'Assina uma compra para o cliente do jogo levar; não envia nada.',
    seals: 'transaction.create',
    input: purchase,
  },
  'webhook.verify': {
    kind: 'verify',
    summary: "Checks a webhook's signature over its raw body and returns the event; sends nothing.",
    summaryPt: 'Confere a assinatura de um webhook sobre o corpo exato e devolve o evento; não envia nada.',
    input: z.looseObject({ signature: name, body: z.optional(z.string()), bodyBase64: z.optional(z.string()) }),
  },
  'orders.open': {
    kind: 'orders',
    summary: 'Lists the open orders that the platform waits for, and those that were closed in the last 24 hours.',
    summaryPt: 'Lista os pedidos abertos que a plataforma espera e os que foram encerrados nas últimas 24 horas.',
    does: 'list',
    input: z.looseObject({
      closedSince: z.optional(readableMomentOf('Closed at or after this moment. Without it: in the last 24 hours.')),
      limit: z.optional(
        z
          .int()
          .check(
            z.gte(1),
            z.lte(1_000),
            z.describe('At most this many closed ones, the oldest first. Without it: 100.'),
          ),
      ),
    }),
  },
  'orders.take': {
    kind: 'orders',
    summary: 'Replies to an order: what became of it, and the stock that is left. The agent reports the result.',
    summaryPt: 'Responde a um pedido: o que foi feito e o estoque que resta. O agente informa o resultado.',
    does: 'take',
    input: z.looseObject({ transactionId, ...orderReplyFields }),
  },
} as const satisfies Record<string, Operation>

export type OperationName = keyof typeof operations
export type PlatformOperationName = {
  [Name in OperationName]: (typeof operations)[Name] extends PlatformOperation ? Name : never
}[OperationName]

/** The entry of a name that came from outside; undefined for an unknown name. */
export function operationNamed(operationName: string): Operation | undefined {
  return Object.hasOwn(operations, operationName) ? operations[operationName as OperationName] : undefined
}

/** An operation's request, before it is signed. */
export interface PartnerRequest {
  readonly method: PlatformOperation['method']
  /** Path with every field filled in and percent-encoded. */
  readonly path: string
  /** The exact text that is signed and sent; empty for GET. */
  readonly body: string
}

/** Makes the request of an operation from an input that its schema accepts. */
export function requestOf(operation: PlatformOperation, input: Fields): PartnerRequest {
  const inPath: string[] = []
  const path = operation.path.replace(/\{(\w+)\}/g, (_, field: string) => {
    inPath.push(field)
    return encodeURIComponent(String(input[field]))
  })
  return { method: operation.method, path, body: bodyOf(operation, input, inPath) }
}

function bodyOf(operation: PlatformOperation, input: Fields, inPath: readonly string[]): string {
  if (operation.body === 'none') return ''
  if (operation.body === 'empty-object') return '{}'
  const fields: Record<string, unknown> = { ...input, ...operation.implied }
  for (const field of inPath) delete fields[field]
  return JSON.stringify(fields)
}
