import { DatabaseSync } from 'node:sqlite'
import type { UnsteadyReceiver } from './stub-receiver.ts'
import type { StubWorld } from './stub-world.ts'

const purchasesEach = 5
const unitAmountCents = 100
const stockKept = 1_000

/** How a purchase is brought to its end, and the state that it must have when all is over. */
const endings = [
  'ESTORNADO FALHOU',
  'PAGO ENTREGUE',
  'ESTORNADO EM_DISPUTA',
  'PAGO AGUARDANDO_SERVIDOR',
  'EXPIRADO null',
]
type Ending = (typeof endings)[number]

/** Everything that callers were promised by an answer. */
export class Sales {
  readonly #world: StubWorld
  readonly #listed = new Set<string>()
  /** By buyer, who buys once. */
  readonly #bought = new Map<string, { readonly transactionId: number; readonly ending: Ending }>()
  /** By itemRef, the last observation that was taken. */
  readonly #observed = new Map<string, number>()

  constructor(world: StubWorld) {
    this.#world = world
  }

  get count(): number {
    return this.#bought.size
  }

  /** Lists an item and sells it five times over, each sale with another end, observing stock on the way. */
  async sell(caller: string, n: number): Promise<void> {
    const itemRef = `${caller}-${n}`
    await this.#list(itemRef)
    for (let k = 0; k < purchasesEach; k++) {
      await this.#observe(`stock-${caller}`, n * purchasesEach + k)
      await this.#buy(itemRef, `${itemRef}-${k}`, endings[k % endings.length] ?? '')
    }
  }

  /** The item whose stock a caller observes, and which is not bought. */
  async stock(caller: string): Promise<void> {
    await this.#list(`stock-${caller}`)
  }

  async #list(itemRef: string): Promise<void> {
    await this.#world.act('market.register', {
      itemRef,
      gameItemId: 'g',
      itemName: 'n',
      attributes: 'a',
      quantityListed: stockKept,
      unitAmountCents,
      sellerCharacterRef: 'seller',
    })
    this.#listed.add(itemRef)
  }

  async #observe(itemRef: string, observedQuantity: number): Promise<void> {
    await this.#world.act('market.adjust-stock', { itemRef, observedQuantity })
    this.#observed.set(itemRef, observedQuantity)
  }

  async #buy(itemRef: string, buyerCharacterRef: string, ending: Ending): Promise<void> {
    const data = await this.#world.act('transaction.create', { itemRef, quantity: 2, buyerCharacterRef })
    const transactionId: number = data?.transactionId ?? (await this.#transactionOf(buyerCharacterRef))
    this.#bought.set(buyerCharacterRef, { transactionId, ending })
    if (ending === 'EXPIRADO null') return
    await this.#byHand(transactionId, 'pay')
    if (ending === 'PAGO ENTREGUE') await this.#world.act('transaction.delivery', { transactionId })
    if (ending === 'ESTORNADO FALHOU') {
      const failure = { transactionId, reason: 'OUT_OF_STOCK', observedQuantity: stockKept }
      await this.#world.act('transaction.delivery-failure', failure)
    }
    if (ending !== 'ESTORNADO EM_DISPUTA') return
    await this.#byHand(transactionId, 'dispute')
    await this.#byHand(transactionId, 'refund')
  }

  /** What was lost with its answer can be found by its buyer. */
  async #transactionOf(buyer: string): Promise<number> {
    const { data } = (await this.#world.control('GET', '/stub/transactions?limit=1000')).answer
    const found = data.find(({ buyerCharacterRef }: { buyerCharacterRef: string }) => buyerCharacterRef === buyer)
    if (!found) this.#world.violate(`the purchase of ${buyer} is a replay and was not made`)
    return found?.transactionId ?? 0
  }

  /** The control routes know no replays: where the first answer was lost, a 409 may say that it had been done. */
  async #byHand(transactionId: number, act: string): Promise<void> {
    const { answer, isInDoubt } = await this.#world.control('POST', `/stub/transactions/${transactionId}/${act}`)
    if (answer.status !== 200 && !(isInDoubt && answer.status === 409)) {
      this.#world.violate(`${act} of ${transactionId}: ${answer.status} ${answer.message}`)
    }
  }

  /** Checks what is on disk, with no stub running, against what was promised. */
  check(receiver: UnsteadyReceiver): void {
    const { databaseFile } = this.#world
    const database = new DatabaseSync(databaseFile, { readOnly: true })
    const rows = (sql: string) => database.prepare(sql).all() as Readonly<Record<string, string | number | null>>[]
    this.#checkListings(rows('select itemRef, observedQuantity from listings'))
    this.#checkTransactions(rows('select id, buyerCharacterRef, paymentStatus, deliveryStatus from transactions'))
    this.#checkWebhooks(receiver, rows(deliveriesOfTransactions))
    for (const [what, sql] of Object.entries(wrongFigures)) {
      for (const row of rows(sql)) this.#world.violate(`${what}: ${JSON.stringify(row)}`)
    }
    database.close()
  }

  #checkListings(rows: readonly Readonly<Record<string, string | number | null>>[]): void {
    const kept = new Map(rows.map(({ itemRef, observedQuantity }) => [itemRef, observedQuantity]))
    for (const itemRef of this.#listed) if (!kept.has(itemRef)) this.#world.violate(`listing ${itemRef} is lost`)
    if (rows.length !== this.#listed.size)
      this.#world.violate(`${rows.length} listings, ${this.#listed.size} were made`)
    for (const [itemRef, quantity] of this.#observed) {
      const shown = kept.get(itemRef)
      if (shown !== quantity) this.#world.violate(`${itemRef} is ${shown}, last observed was ${quantity}`)
    }
  }

  #checkTransactions(rows: readonly Readonly<Record<string, string | number | null>>[]): void {
    const byBuyer = Map.groupBy(rows, ({ buyerCharacterRef }) => String(buyerCharacterRef))
    for (const [buyer, { transactionId, ending }] of this.#bought) {
      const made = byBuyer.get(buyer) ?? []
      const told = made.map(({ id, paymentStatus, deliveryStatus }) => `${id}: ${paymentStatus} ${deliveryStatus}`)
      if (told.join() !== `${transactionId}: ${ending}`) {
        this.#world.violate(`${buyer} has bought [${told.join()}], which should be ${transactionId}: ${ending}`)
      }
    }
    if (rows.length !== this.#bought.size) {
      this.#world.violate(`${rows.length} transactions, ${this.#bought.size} were made`)
    }
  }

  #checkWebhooks(receiver: UnsteadyReceiver, rows: readonly Readonly<Record<string, string | number | null>>[]): void {
    for (const { id, isPaid, isOver, orders, terminals, open } of rows) {
      if (orders !== isPaid || terminals !== isOver || open !== 0) {
        this.#world.violate(`webhooks of ${id}: ${orders} orders, ${terminals} terminals, ${open} still open`)
      }
      // The order of a transaction that is over may have ended before it was ever sent.
      const last = isOver ? 'transaction_terminal' : 'transfer_order'
      if (!receiver.acknowledged.has(`${last} ${id}`)) this.#world.violate(`the ${last} of ${id} is lost`)
    }
    for (const jti of receiver.repeatedJtis()) this.#world.violate(`a webhook came twice with one signature: ${jti}`)
  }
}

const deliveriesOfTransactions = `
  select transactions.id, paidAt is not null as isPaid, deliveryStatus is not 'AGUARDANDO_SERVIDOR' as isOver,
    sum(event = 'transfer_order') as orders, sum(event = 'transaction_terminal') as terminals,
    sum(state = 'pending') as open
  from transactions left join webhookDeliveries on transactionId = transactions.id group by transactions.id
`

/** What no row may come out of. */
const wrongFigures = {
  'quantitySold is not what is paid and not refunded': `
    select itemRef, quantitySold from listings where quantitySold <> coalesce((
      select sum(quantity) from transactions where listingId = listings.id and paymentStatus = 'PAGO'), 0)`,
  'a payment without its transaction, or the other way round': `
    select id, paymentStatus from transactions where (paidAt is not null) <> (
      select count(*) from moneyMoves where transactionId = id and kind = 'payment'
        and amountCents = quantity * unitAmountCents)`,
  'a refund without its transaction, or the other way round': `
    select id, paymentStatus from transactions where (paymentStatus = 'ESTORNADO') <> (
      select count(*) from moneyMoves where transactionId = id and kind = 'refund'
        and amountCents = quantity * unitAmountCents)`,
  'a move that was made twice': `
    select transactionId, trigger from transactionHistory group by transactionId, trigger having count(*) > 1`,
  'an envelope that was recorded twice': 'select kid, jti from replays group by kid, jti having count(*) > 1',
} as const
