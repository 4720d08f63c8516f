import type { SaleNames, SaleStep } from './first-sale.ts'
import type { Way } from './sale-ways.ts'

/** What the commands name. */
interface CommandNames extends SaleNames {
  readonly developerUrl: string
}

type Commands = Readonly<Record<SaleStep, readonly string[]>>

const ordersFlags: Readonly<Record<Way['orders'], string>> = {
  push: '--forward-url http://127.0.0.1:9000/orders',
  ask: '--bridge',
  files: '--bridge --spool-dir spool',
}

/** The commands of each step for a way; none where an example does the step by itself. */
export function saleCommands(way: Way, names: CommandNames): Commands {
  const { developerUrl, seller, buyer, itemRef } = names
  const flags = ordersFlags[way.orders]
  const server = [`platform-stub provision --url ${developerUrl} --name my-game ${flags} --state-dir state --out game`]
  const agent = 'market-agent run --config game/agent.env'
  if ('call' in way) {
    const steps = stepsByHand(way, names)
    return { server, ...steps, call: [agent, ...steps.call] }
  }
  const { start, tell } = way
  return {
    server,
    call: [agent, start],
    link: [tell(`link ${seller}`)],
    listing: [tell(`list ${itemRef} ${seller} 3 1050`)],
    purchase: [tell(`buy ${itemRef} 1 ${buyer}`)],
    order: [],
    delivery: [],
  }
}

function stepsByHand({ call, orders, prepare }: Extract<Way, { call: unknown }>, names: CommandNames) {
  const { seller, isSellerApproved, buyer, itemRef, transactionId } = names
  const offer = {
    itemRef,
    gameItemId: 'sword-9',
    itemName: 'Espada +9',
    attributes: 'Ataque 120',
    quantityListed: 3,
    unitAmountCents: 1_050,
    sellerCharacterRef: seller,
  }
  const purchase = { itemRef, quantity: 1, buyerCharacterRef: buyer }
  const taken = { transactionId, observedQuantity: 2 }
  // A refusal is remembered under its id. So the id changes with the approval that the listing was refused for.
  const listingTry = isSellerApproved ? 2 : 1
  const reply = `spool/replies/transfer_order-${transactionId}.json`
  return {
    call: [
      ...(prepare ? [prepare] : []),
      call({ operation: 'market.eligibility', input: { characterRef: seller }, id: 'ask' }),
    ],
    link: [call({ operation: 'character.link', input: { characterRef: seller }, id: `link-${seller}` })],
    listing: [call({ operation: 'market.register', input: offer, id: `register-${itemRef}-${listingTry}` })],
    purchase: [call({ operation: 'transaction.create', input: purchase, id: `buy-${itemRef}-${transactionId}` })],
    order:
      orders === 'files'
        ? [
            `cat spool/events/transfer_order-${transactionId}.json`,
            `echo '{"observedQuantity":2}' > spool/replies/.reply && mv spool/replies/.reply ${reply}`,
          ]
        : [
            call({ operation: 'orders.open', input: {}, id: 'orders' }),
            call({ operation: 'orders.take', input: taken, id: 'take' }),
          ],
    delivery: [call({ operation: 'transaction.delivery', input: { transactionId }, id: 'delivery' })],
  }
}
