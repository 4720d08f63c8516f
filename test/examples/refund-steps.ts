import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expectThat } from '../../scripts/demo/steps.ts'
import { until } from '../../scripts/until.ts'
import { type Course, orderFile } from './course.ts'

// The steps in which buyers want their money back.

const killsMax = 5

export async function refundWhileDown(course: Course): Promise<void> {
  const { game, market } = course.parts
  const url = await course.choose('escudo', 1, 'davi')
  await game.kill()
  const transactionId = await market.pay(url)
  await course.isOffered(transactionId)
  await refundAtBoth(course, transactionId)
  await game.start()
  await course.endsAs(transactionId, 'ESTORNADA')
}

/** For a game server that stores an order before it acts. */
export async function refundWhileTaken(course: Course): Promise<void> {
  const { game } = course.parts
  for (let kills = 0; kills < killsMax; kills++) {
    const transactionId = await course.sell('escudo', 1, 'davi')
    await until(async () => course.resultOf(transactionId), `order ${transactionId}`)
    await game.kill()
    const isTaken = course.resultOf(transactionId) !== 'DELIVERED'
    if (isTaken) await refundAtBoth(course, transactionId)
    await game.start()
    await course.endsAs(transactionId, isTaken ? 'ESTORNADA' : 'CONCLUIDA')
    if (isTaken) return
    // On a slow machine the kill may come too late.
  }
  throw new Error(`no order was saved before its delivery, in ${killsMax} sales`)
}

/** The mailbox has room again before the game server learns about the refund, and an old copy of the order arrives. */
export async function refundWhilePutOff(course: Course): Promise<void> {
  const { game } = course.parts
  const shields = Number(course.quantityOf('escudo'))
  await course.must('full ivo')
  const transactionId = await course.sell('escudo', 2, 'ivo')
  await course.putOffTimes(transactionId, 1)
  await course.orderIs(transactionId, 'TEMPORARY')
  await course.isObservedAs('escudo', shields - 2)
  await game.kill()
  await refundAtBoth(course, transactionId)
  await game.start()
  await course.must('room ivo')
  await course.endsAs(transactionId, 'ESTORNADA')
  await course.printed(`pedido ${transactionId}: encerrado ESTORNADA`)
  await until(async () => course.resultOf(transactionId) !== 'TEMPORARY', `end of order ${transactionId}`)
  await course.sellInTheGame('escudo', 1)
  await course.isObservedAs('escudo', shields - 1)
  await course.giveAgain(transactionId)
  await course.endsAs(transactionId, 'ESTORNADA')
}

/** The agent renews what it shows. A file that it did not renew may be of an order that was refunded since. */
export async function ignoreDeadFile(course: Course): Promise<void> {
  const { game, market, spoolDir } = course.parts
  const known = (await market.sales()).find(({ outcome }) => outcome === 'CONCLUIDA')?.transactionId ?? 0
  const [webhook] = (await market.webhooks(known)).filter(({ event }) => event === 'transfer_order')
  const url = await course.choose('escudo', 1, 'joana')
  await game.kill()
  const transactionId = await market.pay(url)
  const name = orderFile(transactionId)
  await until(async () => course.filesIn('events').includes(name), name)
  await course.killAgent()
  const text = readFileSync(join(spoolDir, 'events', name), 'utf8')
  course.replaceFile('events', name, text.replace(/("actUntil":")[^"]*/, '$12026-01-01T00:00:00.000Z'))
  await market.decide(transactionId, 'dispute', 'refund')
  await game.start()
  // Between two replies to another file it has looked at every file once.
  for (let n = 0; n < 2; n++) {
    course.writeEvent(known, { ...webhook?.payload })
    await until(async () => course.filesIn('replies').includes(orderFile(known)), `reply ${orderFile(known)}`)
    for (const dir of ['events', 'replies']) rmSync(join(spoolDir, dir, orderFile(known)))
  }
  expectThat(course.resultOf(transactionId) === undefined, `the order is ${course.resultOf(transactionId)}`)
  expectThat(!course.filesIn('replies').includes(name), 'the order was answered')
  await course.startAgent()
  await market.pass(20)
  await course.endsAs(transactionId, 'ESTORNADA')
}

export async function rejectDispute(course: Course): Promise<void> {
  const { market } = course.parts
  await course.refuseReports('transaction.delivery')
  const transactionId = await course.sell('escudo', 1, 'kaua')
  await course.orderIs(transactionId, 'DELIVERED')
  await market.decide(transactionId, 'dispute')
  await market.mend()
  await until(async () => {
    const calls = await market.calls('transaction.delivery')
    return calls.some((call) => call.transactionId === transactionId && call.status === 409)
  }, `a report of ${transactionId} that is refused`)
  await market.decide(transactionId, 'reject-dispute')
  await course.endsAs(transactionId, 'CONCLUIDA')
}

/** The platform gives the money back, and the agent knows. */
async function refundAtBoth(course: Course, transactionId: number): Promise<void> {
  await course.parts.market.decide(transactionId, 'dispute', 'refund')
  await until(
    async () => !(await course.openOrders()).some((order) => order.transactionId === transactionId),
    `end of order ${transactionId} in the agent`,
  )
}
