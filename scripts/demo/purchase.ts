import type { OrderResult } from '../../contract/order-reply.ts'
import { until } from '../until.ts'
import type { Answer } from './callers.ts'
import type { GameServer } from './game-server.ts'
import type { Stage } from './stage.ts'
import { expectThat, inReais, step } from './steps.ts'

const seller = 'char-1'

/** Calls, and fails with the platform's words unless it went well. */
export async function succeed(
  { call }: GameServer,
  operation: string,
  input: Readonly<Record<string, unknown>>,
  id?: string,
): Promise<Answer['data']> {
  const answer = await call(operation, input, id)
  expectThat(answer.ok, `${operation} was refused with ${answer.status}: ${answer.message}`)
  return answer.data
}

/** Links the seller's character: the game server asks, the player confirms in the portal, staff approve the payout. */
export async function linkSeller(stage: Stage, server: GameServer): Promise<void> {
  const link = await step(
    'character.link: the game server asks for a link',
    () => succeed(server, 'character.link', { characterRef: seller, characterName: 'Aldebarã' }),
    ({ url }) => String(url),
  )
  await step('the player confirms it in the portal', () => stage.atPlatform('POST', String(link['url'])))
  await step('the payout recipient is approved', () => setCharacter(stage, server, { recipientApproved: true }))
  await step(
    'market.eligibility: may the character sell?',
    async () => {
      const eligibility = await succeed(server, 'market.eligibility', { characterRef: seller })
      expectThat(eligibility['allowed'] === true, String(eligibility['message']))
      return eligibility
    },
    ({ message }) => String(message),
  )
}

/** The same in one step, only at the platform. */
export async function letSell(stage: Stage, server: GameServer): Promise<void> {
  await step('the seller is linked and approved', () =>
    setCharacter(stage, server, { linked: true, recipientApproved: true }),
  )
}

function setCharacter(stage: Stage, { id }: GameServer, state: object): Promise<unknown> {
  return stage.atPlatform('PUT', `/stub/game-servers/${id}/characters/${seller}`, state)
}

/** Lists an item and has a buyer choose it. @returns The transaction, which is not paid yet. */
export async function offerAndBuy(server: GameServer, itemRef: string): Promise<number> {
  await step(
    'market.register: the offer becomes a listing',
    () => succeed(server, 'market.register', offer(itemRef), `register-${itemRef}`),
    ({ unitAmountCents, status }) => `${inReais(Number(unitAmountCents))}, ${status}`,
  )
  server.game.stock.set(itemRef, 2)
  await step('market.adjust-stock: 2 are left in the game', () =>
    succeed(server, 'market.adjust-stock', { itemRef, observedQuantity: 2 }),
  )
  const created = await step(
    'transaction.create: a buyer wants one',
    () =>
      succeed(server, 'transaction.create', { itemRef, quantity: 1, buyerCharacterRef: 'char-2' }, `buy-${itemRef}`),
    ({ checkoutUrl }) => String(checkoutUrl),
  )
  return Number(created['transactionId'])
}

/** How a sale continues after its payment. */
export interface Course {
  /** What the game server replies. */
  readonly result: OrderResult
  /** Payment and delivery at the platform, once the agent has reported it. */
  readonly status: string
  readonly outcome: string
}

export const sold: Course = { result: 'DELIVERED', status: 'PAGO / ENTREGUE', outcome: 'CONCLUIDA' }
export const refunded: Course = { result: 'OUT_OF_STOCK', status: 'ESTORNADO / FALHOU', outcome: 'ESTORNADA' }

/** Pays, and sees it end. */
export async function payAndSeeItEnd(stage: Stage, server: GameServer, id: number, course: Course): Promise<void> {
  await step('the buyer pays in the checkout', () => pay(stage, id))
  await seeItEnd(stage, server, id, course)
}

/** What the buyer does in the checkout. */
export function pay(stage: Stage, id: number): Promise<unknown> {
  return stage.atPlatform('POST', `/stub/transactions/${id}/pay`, {})
}

/** Sees the order handled, its result reported by the agent, and its terminal event handed on. */
export async function seeItEnd(stage: Stage, server: GameServer, id: number, course: Course): Promise<void> {
  await step(
    server.words.order,
    async () => {
      const reply = await server.handleOrder(id)
      expectThat(reply.result === course.result, `the game server replied ${reply.result}`)
      return reply
    },
    ({ result, observedQuantity }) => `the reply: ${result}, ${observedQuantity} left`,
  )
  await step(
    `the agent reports ${course.result}`,
    () =>
      until(async () => {
        const transaction = (await stage.atPlatform('GET', `/stub/transactions/${id}`)) as Record<string, unknown>
        const status = `${transaction['paymentStatus']} / ${transaction['deliveryStatus']}`
        return status === course.status ? status : undefined
      }, course.status),
    (status) => status,
  )
  await step(
    server.words.end,
    async () => {
      const { outcome, reported } = await server.hearEnd(id)
      expectThat(outcome === course.outcome && reported === course.result, `${outcome}, reported ${reported}`)
      return outcome ?? ''
    },
    (outcome) => outcome,
  )
}

/** What a player offers. */
export function offer(itemRef: string): Readonly<Record<string, unknown>> {
  return {
    itemRef,
    gameItemId: 'sword-9',
    itemName: 'Espada +9',
    attributes: 'Ataque 120, sem reparo',
    quantityListed: 3,
    unitAmountCents: 123_456,
    sellerCharacterRef: seller,
  }
}
