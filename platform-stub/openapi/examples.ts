import type * as z from 'zod/mini'
import { characterLink } from '../../contract/character.ts'
import { type WebhookEvent, webhookEvents } from '../../contract/events.ts'
import { listing } from '../../contract/listing.ts'
import { operations, type PlatformOperationName } from '../../contract/operations.ts'
import { deliveryConfirmation, deliveryFailureReport } from '../../contract/transaction.ts'
import { eligibilityOf } from '../marketplace/characters/eligibility.ts'

type Example = Readonly<Record<string, unknown>>

interface OperationExample {
  readonly input: Example
  /** The stub's answer, with fields that the interface does not promise; null for an empty body. */
  readonly data: Example | null
}

const offer = {
  itemRef: 'offer-1',
  gameItemId: 'sword-9',
  itemName: 'Espada +9',
  attributes: 'Ataque 120, Fogo +3',
  quantityListed: 3,
  unitAmountCents: 1_050,
}

const created = {
  transactionId: 1,
  itemRef: offer.itemRef,
  gameItemId: offer.gameItemId,
  itemName: offer.itemName,
  quantity: 1,
  unitAmountCents: offer.unitAmountCents,
  totalAmountCents: offer.unitAmountCents,
  buyerCharacterRef: 'char-2',
  sellerCharacterRef: 'char-1',
  paymentStatus: 'AGUARDANDO_PAGAMENTO',
  deliveryStatus: null,
  checkoutUrl: 'http://127.0.0.1:8787/checkout/3f6Jx0sVb1cZ',
  createdAt: '2026-03-02T12:05:00.000Z',
  expiresAt: '2026-03-02T12:35:00.000Z',
  paidAt: null,
  deliveredAt: null,
  completedAt: null,
  failureReason: null,
  retryAt: null,
}

/** The fields of one sale, from the link of its seller to its delivery. */
const sale: Example = {
  characterRef: 'char-1',
  characterName: 'Aramis',
  linkId: 1,
  url: 'http://127.0.0.1:8787/portal/links/9qTt2mYwK0aD',
  ...offer,
  id: 1,
  quantitySold: 0,
  observedAt: null,
  status: 'ACTIVE',
  updatedAt: '2026-03-02T12:01:00.000Z',
  withdrawnAt: null,
  ...created,
  paymentStatus: 'PAGO',
  deliveryStatus: 'ENTREGUE',
  paidAt: '2026-03-02T12:06:30.000Z',
  deliveredAt: '2026-03-02T12:06:35.000Z',
  occurredAt: '2026-03-02T12:06:35.000Z',
  reason: null,
}

/** The sale in the fields of a schema. */
function exampleOf(schema: z.ZodMiniObject, changes: Example = {}): Example {
  const values: Example = { ...sale, ...changes }
  return Object.fromEntries(Object.keys(schema.def.shape).map((field) => [field, values[field]]))
}

const exampleOfInput = (name: PlatformOperationName, changes?: Example) => exampleOf(operations[name].input, changes)

/** One call of each operation, all about one sale. */
export const operationExamples: Readonly<Record<PlatformOperationName, OperationExample>> = {
  'character.link': {
    input: exampleOfInput('character.link'),
    data: exampleOf(characterLink, { expiresAt: '2026-03-02T12:15:00.000Z' }),
  },
  'market.register': {
    input: exampleOfInput('market.register'),
    data: exampleOf(listing, { createdAt: sale['updatedAt'], observedQuantity: null }),
  },
  'market.adjust-stock': { input: exampleOfInput('market.adjust-stock', { observedQuantity: 2 }), data: null },
  'market.withdraw': { input: exampleOfInput('market.withdraw'), data: null },
  'market.eligibility': {
    input: exampleOfInput('market.eligibility'),
    data: {
      ...eligibilityOf({ account: true, linked: true, banned: false, sellingBlocked: false, recipientApproved: false }),
    },
  },
  'transaction.create': { input: exampleOfInput('transaction.create'), data: created },
  'transaction.get': {
    input: exampleOfInput('transaction.get'),
    data: { ...created, paymentStatus: 'PAGO', deliveryStatus: 'AGUARDANDO_SERVIDOR', paidAt: sale['paidAt'] },
  },
  'transaction.delivery': { input: exampleOfInput('transaction.delivery'), data: exampleOf(deliveryConfirmation) },
  'transaction.delivery-failure': {
    input: exampleOfInput('transaction.delivery-failure', {
      reason: 'OUT_OF_STOCK',
      observedQuantity: 0,
      detail: 'sold for gold meanwhile',
    }),
    data: exampleOf(deliveryFailureReport, { deliveryStatus: 'FALHOU', refundStarted: true }),
  },
}

/** One of each event, about the same sale. */
export function eventExample(event: WebhookEvent): Example {
  return exampleOf(webhookEvents[event].payload, { event })
}
