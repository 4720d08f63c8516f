import type { SampleGame } from './sample-game.ts'

const long = 'Espada-de-nome-comprido-que-ninguém-quebra-'.repeat(3)

/** Names, errors and answers that a layout may break on. @returns The transaction that has them. */
export async function playAwkwardCases(game: SampleGame): Promise<number> {
  await game.character(encodeURIComponent(long), { linked: true, recipientApproved: true })
  await game.call('market.register', {
    itemRef: long,
    gameItemId: 'sword',
    itemName: `Espada do Dragão Ancestral das Montanhas Geladas do Norte ${long}`,
    attributes: `Ataque 120, fogo +3, sem reparo.\n${long}`,
    quantityListed: 1_000_000,
    unitAmountCents: 9_999_999_99,
    sellerCharacterRef: long,
  })
  game.trouble = { status: 500, body: `java.lang.IllegalStateException:${'at.game.server.Inventory.add'.repeat(20)}` }
  const { transactionId } = await game.call('transaction.create', {
    itemRef: long,
    quantity: 1_000,
    buyerCharacterRef: long,
  })
  const id = Number(transactionId)
  await game.control('POST', `/stub/transactions/${id}/pay`)
  await game.advance(20)
  await game.control('PUT', `/stub/game-servers/${game.id}`, {
    webhookUrl: `http://${'long-host-name-'.repeat(4)}x.invalid/webhook`,
  })
  await game.advance(40)
  await game.control('PUT', `/stub/game-servers/${game.id}`, { webhookUrl: game.webhookUrl })
  game.trouble = { status: 200, body: '{"ok":true}' }
  await game.advance(80)
  game.trouble = null
  return id
}
