import { expectThat } from '../../scripts/demo/steps.ts'
import { until } from '../../scripts/until.ts'
import { type Course, seller } from './course.ts'

// The steps that every sale has: listing, selling, putting off, running out of stock.

export async function linkAndList(course: Course): Promise<void> {
  const { game, market } = course.parts
  const refused = await course.offer('espada', 10, 1_500)
  expectThat(/^recusado: \S/.test(refused), `list answered ${refused}`)
  expectThat(course.quantityOf('espada') === undefined, 'the offer that was refused is in the world')
  await market.confirmLink(await game.command(`link ${seller}`))
  await market.approveRecipient(seller)
  for (const [item, quantity, cents] of [['espada', 10, 1_500] as const, ['escudo', 20, 900] as const]) {
    const listed = await course.offer(item, quantity, cents)
    expectThat(listed === 'ok', `list answered ${listed}`)
    await course.offerIs(item, 'listed')
    const { quantityListed, unitAmountCents, sellerCharacterRef, status } = await market.listing(item)
    const fields = [quantityListed, unitAmountCents, sellerCharacterRef, status].join(' ')
    expectThat(fields === [quantity, cents, seller, 'ACTIVE'].join(' '), `the listing of ${item} is ${fields}`)
  }
  await course.mustNot(`list espada ${seller} 1 100`)
}

export async function listAfterRestart(course: Course): Promise<void> {
  const { game, market } = course.parts
  await market.refuseCalls('market.register')
  const said = await course.offer('arco', 2, 300)
  expectThat(said === 'sem resposta', `list answered ${said}`)
  await course.offerIs('arco', 'registering')
  await untilRegistered(course, 'arco', 2)
  await game.kill()
  await market.mend()
  await game.start()
  await course.offerIs('arco', 'listed')
  await market.listing('arco')
}

/** Waits until the platform has seen this many tries to list an item. */
export function untilRegistered(course: Course, item: string, tries: number): Promise<unknown> {
  return until(async () => {
    const calls = await course.parts.market.calls('market.register')
    return calls.filter(({ requestBody }) => requestBody.includes(`"${item}"`)).length >= tries
  }, `try ${tries} to list ${item}`)
}

export async function sellOne(course: Course): Promise<void> {
  const { market } = course.parts
  // The sale stays open until the platform has the reply: a late one would be void.
  await course.refuseReports('transaction.delivery')
  const transactionId = await course.sell('espada', 2, 'ana')
  await course.orderIs(transactionId, 'DELIVERED')
  expectThat(course.quantityOf('espada') === 8, `8 swords are left, and the world says ${course.quantityOf('espada')}`)
  await course.isObservedAs('espada', 8)
  await market.mend()
  await course.endsAs(transactionId, 'CONCLUIDA')
  await course.printed(`pedido ${transactionId}: entregue`)
}

export async function sellInTheGame(course: Course): Promise<void> {
  await course.sellInTheGame('espada', 3)
  expectThat(course.quantityOf('espada') === 5, `5 swords are left, and the world says ${course.quantityOf('espada')}`)
  await course.isObservedAs('espada', 5)
}

export async function putOffThreeTimes(course: Course): Promise<void> {
  const { game, market } = course.parts
  await course.must('full bia')
  const transactionId = await course.sell('espada', 2, 'bia')
  await course.putOffTimes(transactionId, 1)
  await course.orderIs(transactionId, 'TEMPORARY')
  await course.isObservedAs('espada', 3)
  // Of the 5, 2 are set aside: the game may sell the other 3, and not one more.
  await course.mustNot('sold espada 4')
  await course.sellInTheGame('espada', 2)
  await course.isObservedAs('espada', 1)
  // The last one is gone when the next buyer pays. A copy that is set aside is not for him.
  const url = await course.choose('espada', 1, 'beto')
  await game.kill()
  game.saved.setQuantity('espada', 2)
  course.stock.set('espada', Number(course.stock.get('espada')) - 1)
  const late = await market.pay(url)
  await game.start()
  await course.endsAs(late, 'ESTORNADA')
  await course.passUntilRetry(transactionId)
  await course.putOffTimes(transactionId, 2)
  await course.orderIs(transactionId, 'TEMPORARY')
  // An offer that the world does not know does not prove that the item is gone.
  await game.kill()
  const bringBack = game.saved.removeOffer('espada')
  await game.start()
  await course.must('room bia')
  // Nor has this world listed it: the platform knows the itemRef of another time.
  await course.mustNot(`list espada ${seller} 9 100`)
  await course.passUntilRetry(transactionId)
  await course.putOffTimes(transactionId, 3)
  await course.orderIs(transactionId, 'TEMPORARY')
  await game.kill()
  bringBack()
  await game.start()
  await course.passUntilRetry(transactionId)
  await course.endsAs(transactionId, 'CONCLUIDA')
  expectThat(course.quantityOf('espada') === 0, `no sword is left, and the world says ${course.quantityOf('espada')}`)
}

export async function findItemGone(course: Course): Promise<void> {
  const { game, market } = course.parts
  await course.refuseReports('transaction.delivery-failure')
  const url = await course.choose('escudo', 1, 'caio')
  await game.kill()
  game.saved.setQuantity('escudo', 0)
  const transactionId = await market.pay(url)
  await game.start()
  await course.orderIs(transactionId, 'OUT_OF_STOCK')
  await game.kill()
  game.saved.setQuantity('escudo', 15)
  course.stock.set('escudo', 15)
  await game.start()
  await market.mend()
  await course.endsAs(transactionId, 'ESTORNADA')
  await course.sellInTheGame('escudo', 1)
  await course.isObservedAs('escudo', 14)
}

/** A reply to an order may be lost in a crash. The next observation makes up for it. */
export async function correctStock(course: Course): Promise<void> {
  for (const item of course.stock.keys()) if (course.quantityOf(item) !== 0) await course.sellInTheGame(item, 1)
}

export async function withdraw(course: Course): Promise<void> {
  await course.must('withdraw escudo')
  const { status } = await course.parts.market.listing('escudo')
  expectThat(status !== 'ACTIVE', `the listing is ${status}`)
}
