import { until } from '../../scripts/until.ts'
import type { Course } from './course.ts'

/**
 * Compares what the game server saved with what the platform did: each delivered transaction is in exactly one mail, no other
 * one is in any, nothing is left open, and both know the same quantities.
 *
 * @throws {Error} With a line for each difference.
 */
export async function auditCourse(course: Course): Promise<void> {
  await untilNothingIsLeft(course)
  const differences = [...(await transactionDifferences(course)), ...(await stockDifferences(course))]
  if (differences.length > 0) throw new Error(differences.join('\n'))
}

/** Each order is over for the agent too, and the game server has taken each terminal event. */
async function untilNothingIsLeft(course: Course): Promise<void> {
  const { example, gameWire, market } = course.parts
  await until(async () => (await course.openOrders()).length === 0, 'end of all orders in the agent')
  if (example.orders === 'files')
    for (const dir of ['events', 'replies', 'outbox'])
      await until(async () => course.filesIn(dir).length === 0, `empty ${dir}`)
  if (example.orders !== 'pushed') return
  for (const { transactionId } of await market.sales())
    await until(
      async () => gameWire.about('transaction_terminal', transactionId).some(({ status }) => status === 200),
      `terminal event of ${transactionId}`,
    )
}

async function transactionDifferences({ parts: { game, market } }: Course): Promise<string[]> {
  const { orders, mail } = game.world()
  const sales = await market.sales()
  const ids = sales.map(({ transactionId }) => transactionId)
  const stray = [...mail, ...orders].filter(({ id }) => !ids.includes(id)).map(({ id }) => `the world has a sale ${id}`)
  return sales.reduce<string[]>((found, sale) => {
    const { transactionId, deliveryStatus, buyerCharacterRef, itemRef, quantity } = sale
    const isDelivered = deliveryStatus === 'ENTREGUE'
    const of = (lines: readonly string[]) => (isDelivered ? lines : []).join()
    const mails = mail.filter(({ id }) => id === transactionId)
    const given = mails.map(({ buyer, item, quantity: count }) => `${buyer} ${item} ${count}`).join()
    const wanted = of([`${buyerCharacterRef} ${itemRef} ${quantity}`])
    if (given !== wanted)
      found.push(`transaction ${transactionId} (${deliveryStatus}): mail [${given}] instead of [${wanted}]`)
    // An order that ended before the game server saw it may be unknown there.
    const known = orders.filter(({ id, result }) => id === transactionId && (isDelivered || result !== 'OUT_OF_STOCK'))
    const said = known.map(({ result, item, quantity: count }) => `${result} ${item} ${count}`).join()
    if (said !== of([`DELIVERED ${itemRef} ${quantity}`]))
      found.push(`transaction ${transactionId} (${deliveryStatus}): its order is [${said}]`)
    return found
  }, stray)
}

async function stockDifferences({ stock, parts: { game, market } }: Course): Promise<string[]> {
  const { offers, mail } = game.world()
  const found: string[] = []
  for (const [item, quantity] of stock) {
    const delivered = mail.filter((one) => one.item === item).reduce((sum, one) => sum + one.quantity, 0)
    const left = offers.filter((offer) => offer.item === item).map((offer) => offer.quantity)
    if (left.join() !== String(quantity - delivered))
      found.push(`${item}: ${left} are left, and ${quantity} - ${delivered} should be`)
    const listing = await market.listing(item)
    if (listing.quantitySold !== delivered)
      found.push(`${item}: the platform sold ${listing.quantitySold}, and ${delivered} were delivered`)
    if (listing.observedQuantity !== quantity - delivered)
      found.push(`${item}: the platform knows of ${listing.observedQuantity}, and ${quantity - delivered} are left`)
  }
  return found
}
