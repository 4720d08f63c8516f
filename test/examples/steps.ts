import { expectThat } from '../../scripts/demo/steps.ts'
import { until } from '../../scripts/until.ts'
import { auditCourse } from './audit.ts'
import { type Course, seller } from './course.ts'
import { refusePushes } from './refuse-pushes.ts'

/** One thing that a game server must be able to do. Its title is a promise. */
export interface CourseStep {
  readonly title: string
  readonly take: (course: Course) => Promise<void>
}

const killsMax = 5

/** The course, in its order. */
export const steps: readonly CourseStep[] = [
  { title: 'an offer is refused, the seller is linked, the offer is listed', take: linkAndList },
  { title: 'an offer without an answer is listed after a restart', take: listAfterRestart },
  { title: 'a sale is delivered', take: sellOne },
  { title: 'stock sold inside the game is reported', take: sellInTheGame },
  { title: 'an order waits for a full mailbox, then for a lost offer, and is delivered', take: putOffThreeTimes },
  { title: 'an item that is gone is refunded, even if it comes back', take: findItemGone },
  { title: 'a killed game server goes on with the order that it took', take: killBeforeDelivery },
  { title: 'an order that is refunded while the game server is down gives no item', take: refundWhileDown },
  { title: 'an order comes again, and the game server is killed before it confirms', take: killBeforeConfirmation },
  { title: 'an agent is killed with orders and a call on their way', take: killAgent },
  { title: 'answers are lost', take: loseAnswers },
  { title: 'an order that is over comes again', take: repeatOldOrder },
  { title: 'what the platform knows of the stock is corrected', take: correctStock },
  { title: 'an offer is withdrawn', take: withdraw },
  { title: 'everything adds up', take: auditCourse },
]

async function linkAndList(course: Course): Promise<void> {
  const { game, market } = course.parts
  const refused = await course.offer('espada', 10, 1_500)
  expectThat(/^recusado: \S/.test(refused), `list answered ${refused}`)
  await course.offerIs('espada', 'refused')
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
}

async function listAfterRestart(course: Course): Promise<void> {
  const { game, market } = course.parts
  await market.refuseCalls('market.register')
  const said = await course.offer('arco', 2, 300)
  expectThat(said === 'sem resposta', `list answered ${said}`)
  await course.offerIs('arco', 'registering', 2)
  await game.kill()
  await market.mend()
  await game.start()
  await course.offerIs('arco', 'listed')
  await market.listing('arco')
}

async function sellOne(course: Course): Promise<void> {
  const { game, market } = course.parts
  // The sale stays open until the platform has the reply: a late one would be void.
  await market.refuseCalls('transaction.delivery')
  const transactionId = await course.sell('espada', 2, 'ana')
  await course.orderIs(transactionId, 'delivered')
  expectThat(course.quantityOf('espada') === 8, `8 swords are left, and the world says ${course.quantityOf('espada')}`)
  await course.isObservedAs('espada', 8)
  await market.mend()
  await course.endsAs(transactionId, 'CONCLUIDA')
  // "confirmado" may be missing: the end can arrive before the answer to the confirmation.
  for (const words of ['recebido', 'entregue', 'encerrado CONCLUIDA']) {
    const line = `pedido ${transactionId}: ${words}`
    await until(async () => game.printed.includes(line), `line "${line}"`)
  }
}

async function sellInTheGame(course: Course): Promise<void> {
  await course.sellInTheGame('espada', 3)
  expectThat(course.quantityOf('espada') === 5, `5 swords are left, and the world says ${course.quantityOf('espada')}`)
  await course.isObservedAs('espada', 5)
}

async function putOffThreeTimes(course: Course): Promise<void> {
  const { game } = course.parts
  await course.must('full bia')
  const transactionId = await course.sell('espada', 1, 'bia')
  await course.putOffTimes(transactionId, 1)
  await course.isObservedAs('espada', 4)
  await course.passUntilRetry(transactionId)
  await course.putOffTimes(transactionId, 2)
  await course.orderIs(transactionId, 'put-off')
  // An offer that the world does not know is no proof that the item is gone.
  const offer = await course.loseOffer('espada')
  await course.must('room bia')
  await course.passUntilRetry(transactionId)
  await course.putOffTimes(transactionId, 3)
  await course.orderIs(transactionId, 'put-off')
  await game.kill()
  game.editWorld((line, index) => (index === 0 ? [offer, line] : [line]))
  await game.start()
  await course.passUntilRetry(transactionId)
  await course.endsAs(transactionId, 'CONCLUIDA')
}

async function findItemGone(course: Course): Promise<void> {
  const { game, market } = course.parts
  const setShields = (quantity: number) =>
    game.editWorld((line) => [line.replace(/^(offer escudo \S+ \S+ \S+) \d+/, `$1 ${quantity}`)])
  await market.refuseCalls('transaction.delivery-failure')
  const url = await game.command('buy escudo 1 caio')
  await game.kill()
  setShields(0)
  const transactionId = await market.pay(url)
  await game.start()
  await course.orderIs(transactionId, 'out-of-stock')
  await game.kill()
  setShields(15)
  course.stock.set('escudo', 15)
  await game.start()
  await market.mend()
  await course.endsAs(transactionId, 'ESTORNADA')
  await course.isObservedAs('escudo', 15)
}

async function killBeforeDelivery(course: Course): Promise<void> {
  const transactionId = await killWithTakenOrder(course)
  await course.parts.game.start()
  await course.endsAs(transactionId, 'CONCLUIDA')
}

async function refundWhileDown(course: Course): Promise<void> {
  const { example, forwardUrl, game, market } = course.parts
  const transactionId = await killWithTakenOrder(course)
  await market.refund(transactionId)
  // After three refused pushes the agent waits for longer than a game server needs to deliver.
  if (example.orders === 'pushed') await refusePushes(forwardUrl, 'transaction_terminal', 3)
  await game.start()
  await course.endsAs(transactionId, 'ESTORNADA')
}

/** Leaves the game server down. @returns A transaction whose order it has saved and not delivered. */
async function killWithTakenOrder(course: Course): Promise<number> {
  const { game } = course.parts
  for (let kills = 0; kills < killsMax; kills++) {
    const transactionId = await course.sell('escudo', 1, 'davi')
    await until(async () => course.stateOf(transactionId), `order ${transactionId}`)
    await game.kill()
    if (course.stateOf(transactionId) === 'taken') return transactionId
    // On a slow machine the kill may come too late.
    await game.start()
    await course.endsAs(transactionId, 'CONCLUIDA')
  }
  throw new Error(`no order was saved as taken before its delivery, in ${killsMax} sales`)
}

async function killBeforeConfirmation(course: Course): Promise<void> {
  const { game, market } = course.parts
  await market.refuseCalls('transaction.delivery')
  await market.breakWebhook({ kind: 'drop-response', event: 'transfer_order' })
  const transactionId = await course.sell('espada', 1, 'eva')
  await course.orderIs(transactionId, 'delivered')
  await untilAttempts(course, transactionId, 'transfer_order', 1)
  await market.pass(20)
  await until(async () => {
    const webhook = (await market.webhooks(transactionId)).find(({ event }) => event === 'transfer_order')
    return webhook?.attempts.at(-1)?.responseStatus === 200
  }, `the order ${transactionId} answered again`)
  await game.kill()
  expectThat(course.stateOf(transactionId) === 'delivered', `the order is ${course.stateOf(transactionId)}`)
  await market.mend()
  await game.start()
  await course.endsAs(transactionId, 'CONCLUIDA')
}

async function killAgent(course: Course): Promise<void> {
  const { agent, game, market } = course.parts
  await market.refuseCalls('transaction.delivery')
  const delivered = await course.sell('espada', 1, 'fabio')
  await course.orderIs(delivered, 'delivered')
  const url = await game.command('buy escudo 1 gina')
  // The platform lists it, and the answer is lost. The answer to the next try takes longer than the agent lives.
  await market.breakCalls({ kind: 'hang-up-after', operation: 'market.register' })
  await market.breakCalls({ kind: 'delay', delayMs: 8_000, operation: 'market.register' })
  const said = course.offer('lanca', 3, 700)
  await course.offerIs('lanca', 'registering', 2)
  const ordered = await market.pay(url)
  await agent.kill()
  await agent.startAgain()
  await market.mend()
  await market.pass(20)
  expectThat(/^(?:ok|sem resposta)$/.test(await said), `list answered ${await said}`)
  await course.offerIs('lanca', 'listed')
  await course.endsAs(delivered, 'CONCLUIDA')
  await course.endsAs(ordered, 'CONCLUIDA')
}

async function loseAnswers(course: Course): Promise<void> {
  const { market } = course.parts
  await market.breakCalls({ kind: 'hang-up-after', operation: 'transaction.delivery' })
  await market.breakWebhook({ kind: 'duplicate', event: 'transfer_order', copies: 2 })
  await market.breakWebhook({ kind: 'drop-response', event: 'transaction_terminal' })
  const transactionId = await course.sell('lanca', 2, 'helio')
  await course.endsAs(transactionId, 'CONCLUIDA')
  await untilAttempts(course, transactionId, 'transaction_terminal', 1)
  await market.pass(20)
  await untilAttempts(course, transactionId, 'transaction_terminal', 2)
}

async function repeatOldOrder(course: Course): Promise<void> {
  const { game, market } = course.parts
  const sale = (await market.sales()).find(({ buyerCharacterRef }) => buyerCharacterRef === 'helio')
  const before = JSON.stringify(game.world())
  const reply = await course.giveAgain(sale?.transactionId ?? 0)
  const left = { observedQuantity: course.quantityOf('lanca') }
  expectThat(reply === undefined || JSON.stringify(reply) === JSON.stringify(left), `it said ${JSON.stringify(reply)}`)
  expectThat(JSON.stringify(game.world()) === before, 'the world changed')
}

/** A reply to an order may be lost in a crash. The next observation makes up for it. */
async function correctStock(course: Course): Promise<void> {
  for (const item of course.stock.keys()) await course.sellInTheGame(item, 1)
}

async function withdraw(course: Course): Promise<void> {
  await course.must('withdraw escudo')
  await course.offerIs('escudo', 'withdrawn')
  const { status } = await course.parts.market.listing('escudo')
  expectThat(status !== 'ACTIVE', `the listing is ${status}`)
}

function untilAttempts(course: Course, transactionId: number, event: string, count: number): Promise<unknown> {
  return until(async () => {
    const webhooks = await course.parts.market.webhooks(transactionId)
    return (webhooks.find((webhook) => webhook.event === event)?.attempts.length ?? 0) >= count
  }, `attempt ${count} of ${event} for ${transactionId}`)
}
