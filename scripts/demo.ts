/**
 * `npm run demo`: stub, agent and a sample game server as real processes; a purchase by HTTP and one by files, a refund,
 * a repeated id, a refusal. Prints a line for each step. Exit 0, or 1 with the step that failed.
 */
import { callingByFiles, callingByHttp } from './demo/game-server.ts'
import { linkSeller, seeItEnd, sellUpToTheOrder, succeed } from './demo/purchase.ts'
import { type Stage, setStage } from './demo/stage.ts'
import { expectThat, StepFailed, step } from './demo/steps.ts'
import { binaryPrograms, sourcePrograms } from './programs.ts'

async function play(stage: Stage): Promise<void> {
  const byHttp = callingByHttp(stage.agentUrl)
  const byFiles = callingByFiles(stage.spoolDir)
  stage.game.verify = byHttp

  console.log('\nA purchase over HTTP')
  await linkSeller(stage, byHttp, 'char-1')
  const sold = await sellUpToTheOrder(stage, byHttp, { itemRef: 'offer-1', seller: 'char-1', buyer: 'char-2' })
  await step(
    'transaction.delivery: the item was transferred',
    () => succeed(byHttp, 'transaction.delivery', { transactionId: sold }),
    ({ paymentStatus, deliveryStatus }) => `${paymentStatus} / ${deliveryStatus}`,
  )
  await seeItEnd(stage, sold, 'PAGO', 'ENTREGUE')

  console.log('\nAn item that is gone')
  const gone = await sellUpToTheOrder(stage, byHttp, { itemRef: 'offer-2', seller: 'char-1', buyer: 'char-2' })
  await step(
    'transaction.delivery-failure: OUT_OF_STOCK',
    () =>
      succeed(byHttp, 'transaction.delivery-failure', {
        transactionId: gone,
        reason: 'OUT_OF_STOCK',
        observedQuantity: 0,
      }),
    ({ refundStarted }) => `refund started: ${refundStarted}`,
  )
  await seeItEnd(stage, gone, 'ESTORNADO', 'FALHOU')

  console.log('\nA repeated id')
  await step(
    'transaction.create again under its id',
    async () => {
      const before = (await stage.atPlatform('GET', '/stub/transactions')) as unknown[]
      await succeed(
        byHttp,
        'transaction.create',
        { itemRef: 'offer-1', quantity: 1, buyerCharacterRef: 'char-2' },
        'buy-offer-1',
      )
      const after = (await stage.atPlatform('GET', '/stub/transactions')) as unknown[]
      expectThat(after.length === before.length, 'it made a second transaction')
    },
    () => 'the first answer, no second purchase',
  )

  console.log('\nA refusal')
  await step(
    'market.register under a reference that was used',
    async () => {
      const answer = await byHttp('market.register', {
        itemRef: 'offer-1',
        gameItemId: 'sword-9',
        itemName: 'Espada +9',
        attributes: 'Ataque 120',
        quantityListed: 1,
        unitAmountCents: 100,
        sellerCharacterRef: 'char-1',
      })
      expectThat(!answer.ok && answer.status === 409, `it answered ${JSON.stringify(answer)}`)
      return answer
    },
    ({ status, message }) => `${status} ${message}`,
  )

  console.log('\nA purchase by files alone')
  const soldByFiles = await sellUpToTheOrder(stage, byFiles, { itemRef: 'offer-3', seller: 'char-1', buyer: 'char-2' })
  await step(
    'transaction.delivery: the item was transferred',
    () => succeed(byFiles, 'transaction.delivery', { transactionId: soldByFiles }),
    ({ paymentStatus, deliveryStatus }) => `${paymentStatus} / ${deliveryStatus}`,
  )
  await seeItEnd(stage, soldByFiles, 'PAGO', 'ENTREGUE')
}

try {
  await using stage = await setStage(process.argv.includes('--binary') ? binaryPrograms : sourcePrograms)
  console.log(`platform-stub at ${stage.stubUrl}, market-agent at ${stage.agentUrl}, spool in ${stage.spoolDir}`)
  await play(stage)
  console.log('\nAll went as it should.')
} catch (error) {
  console.error(`\nThe demo failed at ${error instanceof StepFailed ? error.message : error}`)
  process.exitCode = 1
}
