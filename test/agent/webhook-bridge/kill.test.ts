import { expect, test } from 'vitest'
import { until } from '../../../scripts/until.ts'
import { answering, startReceiver } from '../../platform-stub/fixtures/receiver.ts'
import { agentHome, processPublicKey } from '../fixtures/agent-process.ts'
import { spawnBridge, webhookUrlOf } from '../fixtures/bridge-process.ts'
import { order } from '../fixtures/events.ts'
import { FakePlatform } from '../fixtures/fake-platform.ts'
import { sendWebhook } from '../fixtures/webhook-sender.ts'

test('an order that the game server took and lost in a crash is offered again after the agent was killed too', async () => {
  await using platform = await FakePlatform.start(processPublicKey)
  using home = agentHome(platform.url)
  {
    await using gameServer = await startReceiver()
    await using agent = spawnBridge(home, { SERVICE_WEBHOOK_FORWARD_URL: gameServer.url })
    expect(await sendWebhook(await webhookUrlOf(agent), order)).toEqual({ status: 200, body: { observedQuantity: 4 } })
    await agent.printed('order acknowledged to the platform')
    await agent.kill()
  }
  await using gameServer = await startReceiver()
  await using agent = spawnBridge(home, { SERVICE_WEBHOOK_FORWARD_URL: gameServer.url })
  expect((await gameServer.event('transfer_order', 17)).event).toEqual(order)
  expect(await agent.call('transaction.delivery', { transactionId: 17 }, 'd-17')).toMatchObject({ ok: true })
  expect(await agent.call('orders.open', {})).toMatchObject({ data: { orders: [], closed: [{ transactionId: 17 }] } })
})

test('an order that was received and not taken is offered after kill -9, although the platform had no answer', async () => {
  await using platform = await FakePlatform.start(processPublicKey)
  using home = agentHome(platform.url)
  await using gameServer = await startReceiver(answering(503))
  const forward = { SERVICE_WEBHOOK_FORWARD_URL: gameServer.url }
  {
    await using agent = spawnBridge(home, forward)
    const answer = sendWebhook(await webhookUrlOf(agent), order)
    answer.catch(() => undefined)
    await gameServer.count(1)
    await agent.kill()
    await expect(answer).rejects.toThrow()
  }
  gameServer.reply(answering(200, { observedQuantity: 4 }))
  await using agent = spawnBridge(home, forward)
  await gameServer.count(2)
  await until(async () => agent.output().includes('order taken by the game server'))
  // Our 2xx was never sent: the stored reply answers the platform's next attempt.
  expect(await sendWebhook(await webhookUrlOf(agent), order)).toEqual({ status: 200, body: { observedQuantity: 4 } })
})
