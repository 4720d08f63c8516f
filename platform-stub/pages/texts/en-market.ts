import { html } from 'hono/html'
import type { Html } from '../document.ts'

// The English texts of transactions and listings. `en.ts` says how texts are written.

export const transactions = {
  searchFor: 'Number, item or character',
  byPhase: 'By phase',
  none: 'No transaction here',
  nothingFits: 'Nothing fits the search.',
  comesWith: 'A purchase appears as soon as a game client makes one.',
  columns: {
    item: 'Item',
    purchase: 'Purchase',
    statuses: 'Payment, delivery',
    acknowledged: 'Acknowledged',
    next: 'Next',
  },
  created: (when: Html) => html`created ${when}`,
  buyerAndSeller: (buyer: string, seller: string) => `${buyer} from ${seller}`,
  phases: {
    'awaiting-payment': 'awaiting payment',
    'awaiting-server': 'awaiting server',
    delivered: 'delivered',
    failed: 'failed',
    disputed: 'disputed',
    completed: 'completed',
    'refunded-after-failure': 'refunded after failure',
    'refunded-after-dispute': 'refunded after dispute',
    expired: 'expired',
    cancelled: 'cancelled',
  },
}

export const transaction = {
  title: (id: number | string) => `Transaction ${id}`,
  acts: {
    pay: 'Pay',
    cancel: 'Cancel',
    expire: 'Expire',
    dispute: 'Open dispute',
    'reject-dispute': 'Reject dispute',
    refund: 'Refund',
  },
  byOthers: (triggers: readonly Html[]) => html`By game server or time: ${triggers}`,
  state: 'State',
  listingStates: 'Its listing’s states',
  history: 'What happened',
  next: 'Next',
  reported: 'Reported by the game server',
  acknowledged: 'Acknowledged by the game server',
  facts: 'Facts',
  total: 'Total',
  quantity: 'Quantity',
  item: 'Item',
  attributes: 'Attributes',
  buyer: 'Buyer',
  seller: 'Seller',
  gameServer: 'Game server',
  checkout: 'Checkout',
  phase: 'Phase',
  stock: 'Stock of its listing',
}

/** What happened to a transaction. */
export const history = {
  /** The cause of each move, and the move itself. */
  moves: {
    create: { by: 'game client', done: 'Purchase created' },
    pay: { by: 'buyer', done: 'Payment confirmed' },
    expire: { by: 'time', done: 'Payment expired' },
    cancel: { by: 'buyer', done: 'Cancelled' },
    deliver: { by: 'game server', done: 'Delivery confirmed' },
    'fail-out-of-stock': { by: 'game server', done: 'Delivery failed: OUT_OF_STOCK' },
    'fail-temporary': { by: 'game server', done: 'Delivery put off: TEMPORARY' },
    dispute: { by: 'buyer', done: 'Dispute opened' },
    'reject-dispute': { by: 'staff', done: 'Dispute rejected' },
    refund: { by: 'platform', done: 'Refunded' },
    complete: { by: 'time', done: 'Completed' },
  },
  payment: (amount: Html) => html`Charged ${amount}`,
  refund: (amount: Html) => html`Returned ${amount}`,
  attempt: (event: Html, number: number) => html`Webhook ${event} attempt ${number}`,
  call: (call: Html, status: Html) => html`Call ${call} answered ${status}`,
  nothing: 'nothing',
}

/** What was acknowledged of a transaction, and what is expected. */
export const exchange = {
  /** The phases that end by an act: whose, which, and what to do. */
  awaited: {
    'awaiting-payment': {
      by: 'buyer',
      act: 'payment',
      help: html`The buyer pays on the checkout page, or you press <b>Pay</b>.`,
    },
    'awaiting-server': {
      by: 'game server',
      act: 'delivery or delivery-failure',
      help: html`The game server transfers the item, and its agent calls <code>transaction.delivery</code>, or <code>transaction.delivery-failure</code> if the game server could not. Nothing else moves this transaction on.`,
    },
    disputed: {
      by: 'staff',
      act: 'refund or rejection',
      help: html`The staff decides: press <b>Reject dispute</b> or <b>Refund</b>.`,
    },
  },
  isOver: 'Nothing: it is over.',
  nothing: 'nothing',
  fromGameServer: (acknowledgement: Html) => html`The game server’s ${acknowledgement}`,
  acknowledgement: (event: Html, attempt: number, when: Html | string) =>
    html`2xx to ${event}, attempt ${attempt} ${when}`,
  /** When a webhook is sent next, after its name or after "Next try". */
  due: {
    'under-way': 'under way',
    now: 'now',
    'webhook-url': 'waits for a webhook URL',
    terminal: 'is held back by a fault until transaction_terminal was acknowledged',
  },
  observed: (quantity: number) => `observed ${quantity}`,
  notObserved: 'no observedQuantity',
  cut: 'its answer is too long to show',
}

/** What the game server, or its agent for it, reported about a delivery. */
export const reports = {
  nothing: 'nothing',
  because: (detail: Html) => html`because ${detail}`,
  reported: (report: Html) => html`reported ${report} `,
}

/** The drawings of the states. */
export const machine = {
  names: { transaction: 'Transaction', listing: 'Listing' },
  stays: (trigger: string) => `stays: ${trigger}`,
  /** English calls the moves by their names in the contract. */
  triggers: {} as Readonly<Partial<Record<string, string>>>,
}

export const listings = {
  about: (freshness: string) =>
    `The estimate can refuse a purchase. It never authorizes one. An observation counts for ${freshness}.`,
  none: 'No listing yet',
  comesWith: 'A game client registers one with a signed offer.',
  columns: {
    item: 'Item',
    price: 'Price',
    status: 'Status',
    estimate: 'Estimate, and why',
    changed: 'Changed',
    buy: 'Buy',
  },
  seller: (name: string) => `from ${name}`,
  soldOut: 'sold out',
  states: 'The states of a listing',
  available: (available: number, listed: number, sold: number, exact: number, observation: Html | string) =>
    html`<strong>${available}</strong> available: ${listed} listed − ${sold} sold = <b>${exact}</b> exactly; ${observation}.`,
  notObserved: 'nothing was observed yet, so only the exact part counts',
  observedLongAgo: (quantity: number, age: string, freshness: string) =>
    html`<b>${quantity}</b> observed ${age} ago, older than ${freshness}: it counts as unknown`,
  observedLess: (quantity: number, age: string) =>
    html`<b>${quantity}</b> observed ${age} ago is less, and refuses more than that`,
  observedEnough: (quantity: number, age: string) =>
    html`<b>${quantity}</b> observed ${age} ago is not less and adds nothing`,
  withdrawn: 'Withdrawn: nothing can be bought at all.',
}

/** What the stub does in place of a buyer or a game server. */
export const standIn = {
  title: 'Play the game server',
  about: html`The stub signs with the game server’s own key and calls the partner route, so every rule applies.`,
  noKey: html`There is no button to deliver here, because the game server made its key pair itself, as <code>provision</code> does. The stub cannot sign for it. Register one in the console to have buttons.`,
  deliver: 'Deliver',
  outOfStock: 'Fail: OUT_OF_STOCK',
  temporary: 'Fail: TEMPORARY',
  buyOne: 'Buy…',
  buy: 'Buy',
}
