import { existsSync, readFileSync } from 'node:fs'

/** A line `offer ITEM STATE TRY SELLER QUANTITY CENTS`. */
interface Offer {
  readonly item: string
  readonly state: string
  readonly tries: number
  readonly quantity: number
}

/** A line `order ID STATE ITEM QUANTITY BUYER TRIES`. */
interface Order {
  readonly id: number
  readonly state: string
}

/** A line `mail BUYER ITEM QUANTITY ID`. */
export interface Mail {
  readonly buyer: string
  readonly item: string
  readonly quantity: number
  readonly id: number
}

/** What an example has saved: its `world.txt`, in which each line is one thing. */
export interface WorldFile {
  readonly offers: readonly Offer[]
  readonly orders: readonly Order[]
  readonly mail: readonly Mail[]
}

/** What is saved at this moment; nothing before the first save. */
export function readWorld(path: string): WorldFile {
  const lines = existsSync(path) ? readFileSync(path, 'utf8').split(/\r?\n/) : []
  const rows = lines.filter((line) => line !== '').map((line) => line.split(' '))
  const of = (kind: string) => rows.filter(([first]) => first === kind).map(([, ...fields]) => fields)
  return {
    offers: of('offer').map(([item = '', state = '', tries, , quantity]) => ({
      item,
      state,
      tries: Number(tries),
      quantity: Number(quantity),
    })),
    orders: of('order').map(([id, state = '']) => ({ id: Number(id), state })),
    mail: of('mail').map(([buyer = '', item = '', quantity, id]) => ({
      buyer,
      item,
      quantity: Number(quantity),
      id: Number(id),
    })),
  }
}
