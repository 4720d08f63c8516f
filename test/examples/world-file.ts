import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** What a seller has offered. `quantity`: what is there, with the units that are set aside. */
interface Offer {
  readonly item: string
  readonly state: string
  readonly quantity: number
}

/** An order that is known, with its result. */
export interface Order {
  readonly id: number
  readonly result: string
  readonly item: string
  readonly quantity: number
}

/** What was put into a buyer's mailbox for an order. */
interface Mail {
  readonly buyer: string
  readonly item: string
  readonly quantity: number
  readonly id: number
}

export interface World {
  readonly offers: readonly Offer[]
  readonly orders: readonly Order[]
  readonly mail: readonly Mail[]
}

/** As `world.json` has it. PHP and Lua write an empty object as an empty array. */
interface JsonWorld {
  readonly offers: Record<string, Omit<Offer, 'item'>>
  readonly orders: Record<string, Omit<Order, 'id'>>
  readonly mail: readonly Mail[]
}

/**
 * What an example has saved, in `world.json` or in `world.txt`. In the latter each line is one thing:
 * `offer ITEM STATE SELLER QUANTITY CENTS`, `order ID RESULT ITEM QUANTITY`, `mail BUYER ITEM QUANTITY ID`, `full BUYER`.
 */
export class WorldFile {
  readonly #dir: string

  constructor(dir: string) {
    this.#dir = dir
  }

  /** What is saved at this moment; nothing before the first save. Offers are in the order of their items: Lua writes them in any. */
  read(): World {
    const world = this.#isJson ? worldOfJson(JSON.parse(this.text) as JsonWorld) : worldOfLines(this.text)
    return { ...world, offers: world.offers.toSorted((a, b) => (a.item < b.item ? -1 : 1)) }
  }

  /** The same as text, for a person. */
  get text(): string {
    return existsSync(this.#path) ? readFileSync(this.#path, 'utf8') : ''
  }

  /** Only while the game server is down, as everything that changes the file. */
  setQuantity(item: string, quantity: number): void {
    if (this.#isJson) this.#editOffers((offers) => ({ ...offers, [item]: { ...(offers[item] as Offer), quantity } }))
    else this.#write(this.text.replace(new RegExp(`^(offer ${item} \\S+ \\S+) \\d+`, 'm'), `$1 ${quantity}`))
  }

  /** @returns Brings the offer back. */
  removeOffer(item: string): () => void {
    if (this.#isJson) {
      const { [item]: removed, ...others } = (JSON.parse(this.text) as JsonWorld).offers
      this.#editOffers(() => others)
      return () => this.#editOffers((offers) => ({ ...offers, [item]: removed as Offer }))
    }
    const [line = ''] = new RegExp(`^offer ${item} .*\r?\n`, 'm').exec(this.text) ?? []
    this.#write(this.text.replace(line, ''))
    return () => this.#write(line + this.text)
  }

  get #isJson(): boolean {
    return existsSync(join(this.#dir, 'world.json'))
  }

  get #path(): string {
    return join(this.#dir, this.#isJson ? 'world.json' : 'world.txt')
  }

  #editOffers(edit: (offers: JsonWorld['offers']) => JsonWorld['offers']): void {
    const world = JSON.parse(this.text) as JsonWorld
    this.#write(JSON.stringify({ ...world, offers: edit(world.offers) }))
  }

  #write(text: string): void {
    writeFileSync(this.#path, text)
  }
}

function worldOfJson({ offers, orders, mail }: JsonWorld): World {
  return {
    mail,
    offers: Object.entries(offers).map(([item, offer]) => ({ ...offer, item })),
    orders: Object.entries(orders).map(([id, order]) => ({ ...order, id: Number(id) })),
  }
}

/** The states of an order in a game server that reports by itself, as results. `closed` depends on the mail. */
const resultsOfStates: Readonly<Record<string, string>> = {
  'put-off': 'TEMPORARY',
  'out-of-stock': 'OUT_OF_STOCK',
  delivered: 'DELIVERED',
  confirmed: 'DELIVERED',
}

function worldOfLines(text: string): World {
  const rows = text.split(/\r?\n/).map((line) => line.split(' '))
  const of = (kind: string) => rows.filter(([first]) => first === kind).map(([, ...fields]) => fields)
  const mail = of('mail').map(([buyer = '', item = '', quantity, id]) => ({
    ...{ buyer, item },
    quantity: Number(quantity),
    id: Number(id),
  }))
  const resultOf = (word: string, id: number) => {
    if (word === 'closed') return mail.some((one) => one.id === id) ? 'DELIVERED' : 'OUT_OF_STOCK'
    return resultsOfStates[word] ?? word
  }
  return {
    mail,
    offers: of('offer').map(([item = '', state = '', , quantity]) => ({ item, state, quantity: Number(quantity) })),
    orders: of('order').map(([id, word = '', item = '', quantity]) => ({
      ...{ id: Number(id), item },
      result: resultOf(word, Number(id)),
      quantity: Number(quantity),
    })),
  }
}
