import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { expectThat } from '../../scripts/demo/steps.ts'
import { until } from '../../scripts/until.ts'
import { type Course, orderFile } from './course.ts'
import { untilRegistered } from './selling-steps.ts'

// The steps in which programs are killed, and requests and answers are lost.

export async function loseReplies(course: Course): Promise<void> {
  if (course.parts.example.orders === 'files') return loseReplyFile(course)
  const { agentWire, game, gameWire } = course.parts
  const isAsked = course.parts.example.orders === 'asked'
  const [wire, text] = isAsked ? ([agentWire, '"orders.take"'] as const) : ([gameWire, '"transfer_order"'] as const)
  // A push that is lost before the game server has it is only offered again.
  for (const loss of isAsked ? (['request', 'answer'] as const) : (['answer'] as const)) {
    wire.lose(loss, text)
    const transactionId = await course.sell('escudo', 1, 'davi')
    await course.orderIs(transactionId, 'DELIVERED')
    await game.kill()
    wire.mend()
    await game.start()
    await course.endsAs(transactionId, 'CONCLUIDA')
  }
}

/** The game server has replied, and the agent that was dead meanwhile never sees it. */
async function loseReplyFile(course: Course): Promise<void> {
  const { example, game, market, spoolDir } = course.parts
  const url = await course.choose('escudo', 1, 'davi')
  // One without a clock must have seen the agent alive: it looks so seldom that the agent is dead when it replies.
  if (!example.hasNoClock) await game.kill()
  const transactionId = await market.pay(url)
  const name = orderFile(transactionId)
  await until(async () => course.filesIn('events').includes(name), name)
  await course.killAgent()
  if (!example.hasNoClock) await game.start()
  await until(async () => course.filesIn('replies').includes(name), `reply ${name}`)
  await course.orderIs(transactionId, 'DELIVERED')
  await game.kill()
  rmSync(join(spoolDir, 'replies', name))
  await course.startAgent()
  await game.start()
  await course.endsAs(transactionId, 'CONCLUIDA')
}

/** Killed as soon as the order is handed over, or as soon as its world knows it. */
export async function killAfterSave(course: Course): Promise<void> {
  const { game } = course.parts
  for (const moment of ['handed over', 'saved', 'handed over', 'saved'] as const) {
    const transactionId = await course.sell('escudo', 1, 'davi')
    const isThere = () =>
      moment === 'saved' ? course.resultOf(transactionId) !== undefined : isHandedOver(course, transactionId)
    await until(async () => isThere(), `order ${transactionId} ${moment}`)
    await game.kill()
    await game.start()
    await course.endsAs(transactionId, 'CONCLUIDA')
  }
}

function isHandedOver(course: Course, transactionId: number): boolean {
  const { agentWire, example, gameWire } = course.parts
  if (example.orders === 'files') return course.filesIn('events').includes(orderFile(transactionId))
  const passages =
    example.orders === 'asked'
      ? agentWire.about('orders.take', transactionId)
      : gameWire.about('transfer_order', transactionId)
  return passages.length > 0
}

export async function killBeforeReport(course: Course): Promise<void> {
  const { game, market } = course.parts
  await course.refuseReports('transaction.delivery')
  await market.breakWebhook({ kind: 'drop-response', event: 'transfer_order' })
  const transactionId = await course.sell('escudo', 1, 'eva')
  await course.orderIs(transactionId, 'DELIVERED')
  await untilAttempts(course, transactionId, 'transfer_order', 1)
  await market.pass(20)
  await until(async () => {
    const webhook = (await market.webhooks(transactionId)).find(({ event }) => event === 'transfer_order')
    return webhook?.attempts.at(-1)?.responseStatus === 200
  }, `the order ${transactionId} answered again`)
  await game.kill()
  expectThat(course.resultOf(transactionId) === 'DELIVERED', `the order is ${course.resultOf(transactionId)}`)
  await market.mend()
  await game.start()
  await course.endsAs(transactionId, 'CONCLUIDA')
}

export async function killAgent(course: Course): Promise<void> {
  const { game, market } = course.parts
  await course.refuseReports('transaction.delivery')
  const delivered = await course.sell('escudo', 1, 'fabio')
  await course.orderIs(delivered, 'DELIVERED')
  const url = await course.choose('escudo', 1, 'gina')
  // The platform lists it, and the answer is lost. The answer to the next try takes longer than the agent lives.
  await market.breakCalls({ kind: 'hang-up-after', operation: 'market.register' })
  await market.breakCalls({ kind: 'delay', delayMs: 8_000, operation: 'market.register' })
  const said = course.offer('lanca', 3, 700)
  await course.offerIs('lanca', 'registering')
  await untilRegistered(course, 'lanca', 1)
  const ordered = await market.pay(url)
  await course.killAgent()
  expectThat(/^(?:ok|sem resposta)$/.test(await said), `list answered ${await said}`)
  await course.startAgent()
  await market.mend()
  await market.pass(20)
  await course.offerIs('lanca', 'listed')
  await course.endsAs(delivered, 'CONCLUIDA')
  await course.endsAs(ordered, 'CONCLUIDA')
  expectThat(game.world().orders.length > 0, 'the world is empty')
}

export async function loseAnswers(course: Course): Promise<void> {
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

export async function repeatOldOrder(course: Course): Promise<void> {
  const { example, game, market } = course.parts
  const sale = (await market.sales()).find(({ buyerCharacterRef }) => buyerCharacterRef === 'helio')
  const before = JSON.stringify(game.world())
  const reply = await course.giveAgain(sale?.transactionId ?? 0)
  if (reply !== undefined) {
    const { observedQuantity, result } = reply as { observedQuantity: unknown; result?: unknown }
    const left = course.quantityOf('lanca')
    expectThat(observedQuantity === left, `${left} lances are left, and it said ${observedQuantity}`)
    const wanted = example.reports === 'by-itself' ? undefined : 'DELIVERED'
    expectThat(result === wanted, `it was ${wanted}, and it said ${result}`)
  }
  expectThat(JSON.stringify(game.world()) === before, 'the world changed')
}

function untilAttempts(course: Course, transactionId: number, event: string, count: number): Promise<unknown> {
  return until(async () => {
    const webhooks = await course.parts.market.webhooks(transactionId)
    return (webhooks.find((webhook) => webhook.event === event)?.attempts.length ?? 0) >= count
  }, `attempt ${count} of ${event} for ${transactionId}`)
}
