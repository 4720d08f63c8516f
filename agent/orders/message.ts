import { readStrictJson } from '../../contract/strict-json.ts'
import type { TerminalOutcome } from '../../contract/transaction.ts'
import type { Order } from './order.ts'
import { isOffered } from './order-moves.ts'

/** What the agent hands to the game server: an order, or the end of a transaction. */
export interface Message {
  readonly event: 'transfer_order' | 'transaction_terminal'
  readonly transactionId: number
  /** Of the order. A reply to an earlier generation does not answer a later one. */
  readonly generation: number
  /** Names the message, and the files of it. An order that is offered anew has its generation in its name. */
  readonly name: string
  /** The event, JSON text: as the platform sent it; an end carries its `outcome` too. */
  readonly text: string
}

/** What is to be handed to the game server of a transaction now. */
export function messagesOf(order: Order): readonly Message[] {
  const messages: Message[] = []
  if (isOffered(order.phase) && order.orderText !== null) messages.push(orderMessage(order, order.orderText))
  if (order.endText !== null && !order.isEndConfirmed) messages.push(endMessage(order, order.endText))
  return messages
}

function orderMessage({ transactionId, generation }: Order, text: string): Message {
  const suffix = generation === 1 ? '' : `-${generation}`
  return { event: 'transfer_order', transactionId, generation, name: `transfer_order-${transactionId}${suffix}`, text }
}

function endMessage({ transactionId, generation, outcome }: Order, text: string): Message {
  const name = `transaction_terminal-${transactionId}`
  return { event: 'transaction_terminal', transactionId, generation, name, text: withOutcome(text, outcome) }
}

/** An event's JSON text with its outcome as a member. Every other member keeps its bytes. */
function withOutcome(text: string, outcome: TerminalOutcome | null): string {
  const reading = readStrictJson(text, { numbers: 'any' })
  if (!reading.ok) return text
  const members = [...reading.object.rawMembers].filter(([name]) => name !== 'outcome')
  const texts = [...members, ['outcome', JSON.stringify(outcome)]].map(
    ([name, valueText]) => `${JSON.stringify(name)}:${valueText}`,
  )
  return `{${texts.join(',')}}`
}
