import { expectThat } from '../../scripts/demo/steps.ts'
import { until } from '../../scripts/until.ts'
import { type Course, seller } from './course.ts'
import { Market } from './market.ts'

// The steps in which somebody wants an item who has not paid for it here.

/** Sold by another game server under the same itemRef. Its seller passes the signed order on to our agent. */
export async function refuseOtherGameServer(course: Course): Promise<void> {
  const { bridgeUrl, game, market, stage } = course.parts
  const other = await stage.startAgent('other', {})
  try {
    const theirs = new Market(stage, other.gameServerId)
    await stage.atPlatform('PUT', `/stub/game-servers/${other.gameServerId}/characters/${seller}`, {
      linked: true,
      recipientApproved: true,
    })
    const texts = { itemRef: 'lanca', gameItemId: 'lanca', itemName: 'lanca', attributes: 'Item do jogo' }
    const input = { ...texts, quantityListed: 1, unitAmountCents: 100, sellerCharacterRef: seller }
    await fetch(`${other.url}/call`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ operation: 'market.register', input }),
    })
    const transactionId = await theirs.sellOne('lanca', 'lia')
    const [webhook] = await until(async () => theirs.webhooks(transactionId), `order ${transactionId}`)
    const before = JSON.stringify(game.world())
    const status = webhook && (await theirs.sendElsewhere(webhook, bridgeUrl))
    expectThat(status === 404, `the order of another game server was answered with ${status}`)
    expectThat(JSON.stringify(game.world()) === before, 'the world changed')
    const { history } = await theirs.sale(transactionId)
    expectThat(history.at(-1)?.trigger === 'pay', `the platform got ${history.at(-1)?.trigger}`)
    const reports = [
      ...(await market.calls('transaction.delivery')),
      ...(await market.calls('transaction.delivery-failure')),
    ]
    expectThat(!reports.some((call) => call.transactionId === transactionId), 'the order was reported')
  } finally {
    await other.kill()
  }
}

/** Everybody on the host can reach the port. */
export async function refuseStranger(course: Course): Promise<void> {
  const { forwardToken, game, ordersUrl } = course.parts
  const order = { transactionId: 999_999, itemRef: 'lanca', quantity: 1, buyerCharacterRef: 'mago' }
  const moment = new Date().toISOString()
  const events = [
    { event: 'transfer_order', ...order, sellerCharacterRef: seller, paidAt: moment },
    {
      event: 'transaction_terminal',
      transactionId: 999_999,
      itemRef: 'lanca',
      outcome: 'ESTORNADA',
      occurredAt: moment,
    },
  ]
  const before = game.saved.text
  const post = (body: string, authorization?: string) =>
    fetch(ordersUrl, {
      ...{ method: 'POST', body },
      headers: { 'content-type': 'application/json', ...(authorization !== undefined && { authorization }) },
    })
  for (const authorization of [undefined, '', 'Bearer', 'Bearer x', forwardToken, `Bearer ${forwardToken}x`]) {
    for (const event of events) {
      const { status } = await post(JSON.stringify(event), authorization)
      expectThat(status === 401 || status === 403, `a stranger with "${authorization}" was answered with ${status}`)
    }
  }
  const { status } = await post('{', `Bearer ${forwardToken}`)
  expectThat(status >= 400, `half an event was answered with ${status}`)
  expectThat(game.saved.text === before, 'the world changed')
}
