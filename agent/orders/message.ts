import type { OrderReply } from '../../contract/order-reply.ts'
import { readStrictJson } from '../../contract/strict-json.ts'
import type { Order } from './order.ts'
import { awaitsReply } from './order-moves.ts'

/** What the agent hands to the game server: an order, or the terminal event of a transaction. */
export interface Message {
  readonly event: 'transfer_order' | 'transaction_terminal'
  readonly transactionId: number
  /** Of the order. A reply to an earlier generation does not answer a later one. */
  readonly generation: number
  /** Names the message, and the files of it. An order that is offered again has its generation in its name. */
  readonly name: string
  /** The event, JSON text: as the platform sent it; a terminal event carries `outcome` and `reported` too. */
  readonly text: string
}

/** What the game server is still to be told about a transaction. An order leaves only after the platform was asked. */
export function messageOf(order: Order): Message | undefined {
  const { transactionId, generation, orderText, terminalText, outcome, reported } = order
  if (awaitsReply(order.phase) && orderText !== null) {
    const name = `transfer_order-${transactionId}${generation === 1 ? '' : `-${generation}`}`
    return { event: 'transfer_order', transactionId, generation, name, text: orderText }
  }
  if (order.phase !== 'ended' || terminalText === null) return undefined
  const text = withMembers(terminalText, { outcome, reported })
  return {
    event: 'transaction_terminal',
    transactionId,
    generation,
    name: `transaction_terminal-${transactionId}`,
    text,
  }
}

/** The JSON text of an object with other members in the place of its own. Every other member keeps its bytes. */
export function withMembers(text: string, members: Readonly<Record<string, unknown>>): string {
  const reading = readStrictJson(text, { numbers: 'any' })
  if (!reading.ok) return text
  const kept = [...reading.object.rawMembers].filter(([name]) => !Object.hasOwn(members, name))
  const added = Object.entries(members).map(([name, value]) => [name, JSON.stringify(value)])
  return `{${[...kept, ...added].map(([name, valueText]) => `${JSON.stringify(name)}:${valueText}`).join(',')}}`
}

/** What the game server said to a message. A terminal event is only confirmed. */
export type Reply = OrderReply | 'confirmed'
