import type { Answer, Caller } from './game-server.ts'
import type { Stage } from './stage.ts'
import { expectThat, inReais, step } from './steps.ts'

/** Who and what a purchase is about. */
export interface Goods {
  readonly itemRef: string
  readonly seller: string
  readonly buyer: string
}

/** Calls, and fails with the platform's words unless it went well. */
export async function succeed(
  call: Caller,
  operation: string,
  input: Readonly<Record<string, unknown>>,
  id?: string,
): Promise<Answer['data']> {
  const answer = await call(operation, input, id)
  expectThat(answer.ok, `${operation} was refused with ${answer.status}: ${answer.message}`)
  return answer.data
}

/** Links the seller's character: the game server asks, the player confirms in the portal, staff approve the payout. */
export async function linkSeller(stage: Stage, call: Caller, seller: string): Promise<void> {
  const link = await step(
    'character.link: the game server asks for a link',
    () => succeed(call, 'character.link', { characterRef: seller, characterName: 'Aldebarã' }),
    ({ url }) => String(url),
  )
  await step('the player confirms it in the portal', () => stage.atPlatform('POST', String(link['url'])))
  await step('the payout recipient is approved', () =>
    stage.atPlatform('PUT', `/stub/game-servers/${stage.gameServerId}/characters/${seller}`, {
      recipientApproved: true,
    }),
  )
  await step(
    'market.eligibility: may the character sell?',
    async () => {
      const eligibility = await succeed(call, 'market.eligibility', { characterRef: seller })
      expectThat(eligibility['allowed'] === true, String(eligibility['message']))
      return eligibility
    },
    ({ message }) => String(message),
  )
}

/** Lists an item and sells it, up to the signed order. @returns The paid transaction. */
export async function sellUpToTheOrder(stage: Stage, call: Caller, { itemRef, seller, buyer }: Goods): Promise<number> {
  await step(
    'market.register: the offer becomes a listing',
    () =>
      succeed(
        call,
        'market.register',
        {
          itemRef,
          gameItemId: 'sword-9',
          itemName: 'Espada +9',
          attributes: 'Ataque 120, sem reparo',
          quantityListed: 3,
          unitAmountCents: 123_456,
          sellerCharacterRef: seller,
        },
        `register-${itemRef}`,
      ),
    ({ unitAmountCents, status }) => `${inReais(Number(unitAmountCents))}, ${status}`,
  )
  await step('market.adjust-stock: 2 are left in the game', () =>
    succeed(call, 'market.adjust-stock', { itemRef, observedQuantity: 2 }),
  )
  const created = await step(
    'transaction.create: a buyer wants one',
    () => succeed(call, 'transaction.create', { itemRef, quantity: 1, buyerCharacterRef: buyer }, `buy-${itemRef}`),
    ({ checkoutUrl }) => String(checkoutUrl),
  )
  const transactionId = Number(created['transactionId'])
  await step('the buyer pays in the checkout', () =>
    stage.atPlatform('POST', `/stub/transactions/${transactionId}/pay`, {}),
  )
  stage.game.stock = 1
  await step(
    'transfer_order arrives, its signature verified',
    () => stage.receiver.received('transfer_order', transactionId),
    ({ quantity }) => `transaction ${transactionId}, quantity ${quantity}`,
  )
  return transactionId
}

/** Waits for the end of a transaction. */
export async function seeItEnd(
  stage: Stage,
  transactionId: number,
  paymentStatus: string,
  deliveryStatus: string,
): Promise<void> {
  await step(
    'transaction_terminal arrives, its signature verified',
    async () => {
      const terminal = await stage.receiver.received('transaction_terminal', transactionId)
      const pair = `${terminal.paymentStatus} / ${terminal.deliveryStatus}`
      expectThat(pair === `${paymentStatus} / ${deliveryStatus}`, `it ended as ${pair}`)
      return pair
    },
    (pair) => pair,
  )
}
