import type { TransactionTerminal, TransferOrder, WebhookEvent } from '../../contract/events.ts'
import type { PlatformOperationName } from '../../contract/operations.ts'
import { eligibilityOf } from '../marketplace/characters/eligibility.ts'

interface OperationExample {
  readonly input: Readonly<Record<string, unknown>>
  /** The stub's answer, with fields that the interface does not promise; null for an empty body. */
  readonly data: Readonly<Record<string, unknown>> | null
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

/** One call of each operation, all about one sale. */
export const operationExamples: Readonly<Record<PlatformOperationName, OperationExample>> = {
  'character.link': {
    input: { characterRef: 'char-1', characterName: 'Aramis' },
    data: {
      linkId: 1,
      url: 'http://127.0.0.1:8787/portal/links/9qTt2mYwK0aD',
      expiresAt: '2026-03-02T12:15:00.000Z',
    },
  },
  'market.register': {
    input: { ...offer, sellerCharacterRef: 'char-1' },
    data: {
      id: 1,
      ...offer,
      quantitySold: 0,
      observedQuantity: null,
      observedAt: null,
      status: 'ACTIVE',
      createdAt: '2026-03-02T12:01:00.000Z',
      updatedAt: '2026-03-02T12:01:00.000Z',
      withdrawnAt: null,
    },
  },
  'market.adjust-stock': { input: { itemRef: offer.itemRef, observedQuantity: 2 }, data: null },
  'market.withdraw': { input: { itemRef: offer.itemRef }, data: null },
  'market.eligibility': {
    input: { characterRef: 'char-1' },
    data: {
      ...eligibilityOf({ account: true, linked: true, banned: false, sellingBlocked: false, recipientApproved: false }),
    },
  },
  'transaction.create': {
    input: { itemRef: offer.itemRef, quantity: 1, buyerCharacterRef: created.buyerCharacterRef },
    data: created,
  },
  'transaction.get': {
    input: { transactionId: 1 },
    data: {
      ...created,
      paymentStatus: 'PAGO',
      deliveryStatus: 'AGUARDANDO_SERVIDOR',
      paidAt: '2026-03-02T12:06:30.000Z',
    },
  },
  'transaction.delivery': {
    input: { transactionId: 1 },
    data: {
      transactionId: 1,
      paymentStatus: 'PAGO',
      deliveryStatus: 'ENTREGUE',
      deliveredAt: '2026-03-02T12:06:35.000Z',
    },
  },
  'transaction.delivery-failure': {
    input: { transactionId: 1, reason: 'OUT_OF_STOCK', observedQuantity: 0, detail: 'sold for gold meanwhile' },
    data: {
      transactionId: 1,
      paymentStatus: 'PAGO',
      deliveryStatus: 'FALHOU',
      refundStarted: true,
      retryAt: null,
    },
  },
}

const transferOrder: TransferOrder = {
  event: 'transfer_order',
  transactionId: 1,
  itemRef: offer.itemRef,
  quantity: 1,
  buyerCharacterRef: 'char-2',
  sellerCharacterRef: 'char-1',
  paidAt: '2026-03-02T12:06:30.000Z',
}

const transactionTerminal: TransactionTerminal = {
  event: 'transaction_terminal',
  transactionId: 1,
  itemRef: offer.itemRef,
  paymentStatus: 'PAGO',
  deliveryStatus: 'ENTREGUE',
  reason: null,
  occurredAt: '2026-03-02T12:06:35.000Z',
}

/** One of each event, about the same sale. */
export const eventExamples: Readonly<Record<WebhookEvent, Readonly<Record<string, unknown>>>> = {
  transfer_order: transferOrder,
  transaction_terminal: transactionTerminal,
}
