import type { SampleGame } from './sample-game.ts'

/** Addresses of pages that show one thing each. */
export interface SampleMarket {
  readonly checkout: Readonly<
    Record<'open' | 'soldOut' | 'awaitingServer' | 'completed' | 'refunded' | 'expired', string>
  >
  readonly links: Readonly<Record<'open' | 'used', string>>
  readonly transactions: Readonly<Record<'disputed' | 'retried' | 'awaitingServer', number>>
  /** A delivery whose first attempts failed. */
  readonly webhook: number
  /** A webhook without a sale. */
  readonly testEvent: number
}

const offers = [
  [
    'espada-runica-9',
    'sword-9',
    'Espada Rúnica +9',
    'Ataque 120, fogo +3, sem reparo. Forjada por Aldebarã.',
    8,
    123_456,
  ],
  ['elmo-do-corvo', 'helm-4', 'Elmo do Corvo', 'Defesa 48, visão noturna', 5, 8_990],
  ['pocao-vida-xl', 'potion-2', 'Poção de Vida XL', 'Recupera 500 de vida. Pacote com 50.', 200, 1_250],
  ['montaria-lobo', 'mount-7', 'Montaria: Lobo Cinzento', 'Velocidade +60%, nível 30', 2, 45_000],
  ['anel-mare', 'ring-3', 'Anel da Maré', 'Mana +15, resistência à água 8%', 4, 6_700],
  ['script', 'scroll-1', '<script>alert("oi")</script>', 'Um pergaminho que alguém batizou assim', 1, 500],
] as const

const buyers = ['mirela', 'dantas', 'yara', 'teo', 'nix'] as const

/** A market day: purchases in every state, a game server that was away for a while, calls that were refused. */
export async function playSampleMarket(game: SampleGame): Promise<SampleMarket> {
  for (const seller of ['aldebara', 'kael']) await game.character(seller, { linked: true, recipientApproved: true })
  await game.character('brisa', { linked: true })
  await game.character('umbra', { linked: true, recipientApproved: true, banned: true })
  for (const [itemRef, gameItemId, itemName, attributes, quantityListed, unitAmountCents] of offers) {
    const listing = { itemRef, gameItemId, itemName, attributes, quantityListed, unitAmountCents }
    game.stock.set(itemRef, quantityListed)
    await game.call('market.register', { ...listing, sellerCharacterRef: itemRef.length % 2 ? 'kael' : 'aldebara' })
    await game.advance(40)
  }
  let count = 0
  const buy = async (itemRef: string, quantity = 1) => {
    const buyerCharacterRef = buyers[count++ % buyers.length]
    const { transactionId, checkoutUrl } = await game.call('transaction.create', {
      itemRef,
      quantity,
      buyerCharacterRef,
    })
    await game.advance(25)
    return { id: Number(transactionId), url: String(checkoutUrl) }
  }
  const act = (id: number, name: string) => game.control('POST', `/stub/transactions/${id}/${name}`)
  const paid = async (itemRef: string, quantity = 1) => {
    const purchase = await buy(itemRef, quantity)
    await act(purchase.id, 'pay')
    await game.advance(20)
    return purchase
  }
  const deliver = (transactionId: number) => game.call('transaction.delivery', { transactionId })

  for (let sale = 0; sale < 9; sale++) {
    const { id } = await paid(offers[sale % 3]?.[0] ?? '', 1)
    await deliver(id)
  }
  const cancelled = await buy('anel-mare', 2)
  await act(cancelled.id, 'cancel')
  const expired = await buy('elmo-do-corvo')
  await game.advance(1_900)

  const disputed = await paid('pocao-vida-xl', 4)
  await act(disputed.id, 'dispute')
  const refunded = await paid('montaria-lobo')
  await game.call('transaction.delivery-failure', {
    transactionId: refunded.id,
    reason: 'OUT_OF_STOCK',
    observedQuantity: 0,
    detail: 'vendida por ouro no mercado do jogo',
  })
  await game.call('market.withdraw', { itemRef: 'anel-mare' })
  await game.advance(700)

  game.trouble = { status: 503, body: '{"error":"server is restarting"}' }
  const retried = await paid('pocao-vida-xl', 10)
  await game.advance(50)
  game.trouble = null
  await game.advance(60)
  await game.call('transaction.delivery-failure', {
    transactionId: retried.id,
    reason: 'TEMPORARY',
    observedQuantity: 150,
    detail: 'comprador com o inventário cheio',
  })
  await game.advance(20)
  await act(retried.id, 'dispute')
  await act(retried.id, 'reject-dispute')
  await deliver(retried.id)

  await makeSlips(game)
  const completed = await paid('espada-runica-9')
  await deliver(completed.id)
  const soldOut = await buy('montaria-lobo')
  const late = await buy('elmo-do-corvo')
  await game.call('market.adjust-stock', { itemRef: 'elmo-do-corvo', observedQuantity: 0 })
  game.trouble = { status: 500, body: 'NullPointerException at OrderHandler.java:81' }
  const awaitingServer = await paid('pocao-vida-xl', 2)
  await buy('script')
  const open = await buy('espada-runica-9', 1)
  return {
    checkout: {
      open: open.url,
      soldOut: late.url || soldOut.url,
      awaitingServer: awaitingServer.url,
      completed: completed.url,
      refunded: refunded.url,
      expired: expired.url,
    },
    links: { open: await link(game, 'lyra', 'Lyra da Aurora'), used: await usedLink(game) },
    transactions: { disputed: disputed.id, retried: retried.id, awaitingServer: awaitingServer.id },
    webhook: await firstDeliveryOf(game, retried.id),
    testEvent: await sendTestEvent(game),
  }
}

async function sendTestEvent(game: SampleGame): Promise<number> {
  const path = `/stub/game-servers/${game.id}/test-events`
  const { id } = await game.control<{ id: number }>('POST', path, { event: 'transfer_order', itemRef: 'anel-mare' })
  return id
}

/** The mistakes that cost integrators days. */
async function makeSlips(game: SampleGame): Promise<void> {
  const adjust = { itemRef: 'elmo-do-corvo', observedQuantity: 4 }
  await game.call('market.adjust-stock', adjust, { jti: 'sent-twice' })
  await game.call('market.adjust-stock', adjust, { jti: 'sent-twice' })
  await game.call('market.adjust-stock', adjust, { clockOffS: -437 })
  await game.call('market.adjust-stock', adjust, {
    sentBody: '{ "observedQuantity": 4, "itemRef": "elmo-do-corvo", "action": "ADJUST_STOCK" }',
  })
  await game.call('market.eligibility', { characterRef: 'aldebara' }, { apiKey: 'stub_of-yesterday' })
  await game.call('market.eligibility', { characterRef: 'aldebara' }, { kid: 'my-key-2025' })
  await game.call('market.eligibility', { characterRef: 'aldebara' })
  await game.call('transaction.create', { itemRef: 'anel-mare', quantity: 1, buyerCharacterRef: 'teo' })
}

async function firstDeliveryOf(game: SampleGame, transactionId: number): Promise<number> {
  const deliveries = await game.control<{ id: number }[]>('GET', `/stub/webhooks?transactionId=${transactionId}`)
  return deliveries.at(-1)?.id ?? 0
}

async function link(game: SampleGame, characterRef: string, characterName: string): Promise<string> {
  const { url } = await game.call('character.link', { characterRef, characterName })
  return String(url)
}

async function usedLink(game: SampleGame): Promise<string> {
  const url = await link(game, 'noct', 'Noct')
  await fetch(url, { method: 'POST' })
  return url
}
