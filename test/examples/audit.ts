import type { Course } from './course.ts'

/**
 * Compares what the game server saved with what the platform did: each delivered transaction is in exactly one mail, no other
 * one is in any, every order is over, and both know the same quantities.
 *
 * @throws {Error} With a line for each difference.
 */
export async function auditCourse(course: Course): Promise<void> {
  const differences = [...(await transactionDifferences(course)), ...(await stockDifferences(course))]
  if (differences.length > 0) throw new Error(differences.join('\n'))
}

async function transactionDifferences({ parts: { game, market } }: Course): Promise<string[]> {
  const { orders, mail } = game.world()
  const sales = await market.sales()
  const ids = sales.map(({ transactionId }) => transactionId)
  const stray = mail.filter(({ id }) => !ids.includes(id)).map(({ id }) => `a mail names transaction ${id}`)
  return sales.reduce<string[]>((found, sale) => {
    const { transactionId, deliveryStatus, buyerCharacterRef, itemRef, quantity } = sale
    const wanted = deliveryStatus === 'ENTREGUE' ? [`${buyerCharacterRef} ${itemRef} ${quantity}`] : []
    const mails = mail.filter(({ id }) => id === transactionId)
    const given = mails.map(({ buyer, item, quantity: count }) => `${buyer} ${item} ${count}`)
    if (given.join() !== wanted.join())
      found.push(`transaction ${transactionId} (${deliveryStatus}): mail [${given}] instead of [${wanted}]`)
    const states = orders.filter(({ id }) => id === transactionId).map(({ state }) => state)
    if (states.join() !== 'closed') found.push(`order ${transactionId} is ${states.join() || 'unknown'}`)
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
