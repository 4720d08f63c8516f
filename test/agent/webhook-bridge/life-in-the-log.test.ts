import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { until } from '../../../scripts/until.ts'
import { end, order } from '../fixtures/events.ts'
import { startTestBridge, type TestBridge } from '../fixtures/test-bridge.ts'

/** Waits for an event of the agent and replies to it. */
async function reply({ spoolDir }: TestBridge, name: string, value: object): Promise<void> {
  await until(() => readFileSync(join(spoolDir, 'events', `${name}.json`)))
  const path = join(spoolDir, 'replies', `${name}.json`)
  writeFileSync(`${path}.tmp`, JSON.stringify(value))
  renameSync(`${path}.tmp`, path)
}

/** What the log says about the order, without the lines of webhooks and calls. */
function lifeOf({ agent }: TestBridge): string[] {
  const lines = agent.logLines().filter((line) => line['transactionId'] === 17 && line.level !== 'debug')
  return lines.map(({ msg }) => msg).filter((msg) => !/^(?:webhook|call) answered$/.test(msg))
}

/** Waits for the last line of a step: what comes next must not overtake it. */
async function saw(bridge: TestBridge, msg: string, count = 1): Promise<void> {
  await until(async () => lifeOf(bridge).filter((line) => line === msg).length === count)
}

test('the whole life of an order can be read in the log, one line for each step', async () => {
  await using bridge = await startTestBridge({ withSpool: true })
  const first = bridge.webhook(order)
  await saw(bridge, 'order offered to the game server')
  await reply(bridge, 'transfer_order-17', { observedQuantity: 3 })
  await first
  await saw(bridge, 'order acknowledged to the platform')
  const failure = { transactionId: 17, reason: 'TEMPORARY', observedQuantity: 3 }
  await bridge.agent.call('transaction.delivery-failure', failure)
  const second = bridge.webhook(order)
  await saw(bridge, 'order offered to the game server', 2)
  await reply(bridge, 'transfer_order-17-2', { observedQuantity: 3 })
  await second
  await saw(bridge, 'order acknowledged to the platform', 2)
  await bridge.agent.call('transaction.delivery', { transactionId: 17 })
  await bridge.webhook({ ...end, paymentStatus: 'PAGO', deliveryStatus: 'ENTREGUE', reason: null })
  await reply(bridge, 'transaction_terminal-17', {})
  await saw(bridge, 'terminal event handed on to the game server')
  bridge.clock.advance(31 * 24 * 3_600_000)
  await saw(bridge, 'order removed: it was closed 30 days ago')
  const handedOver = [
    ...['order received', 'order confirmed by the platform', 'order offered to the game server'],
    ...['order taken by the game server', 'order acknowledged to the platform'],
  ]
  expect(lifeOf(bridge)).toEqual([
    ...handedOver,
    ...['TEMPORARY is about to be reported', 'order put off until its retryAt'],
    ...handedOver,
    'order closed: the platform accepted DELIVERED',
    'terminal event received',
    'terminal event handed on to the game server',
    'order removed: it was closed 30 days ago',
  ])
})
