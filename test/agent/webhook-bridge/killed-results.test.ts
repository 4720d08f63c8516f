import { expect, test } from 'vitest'
import { until } from '../../../scripts/until.ts'
import { answering, startReceiver } from '../../platform-stub/fixtures/receiver.ts'
import { agentHome, processPublicKey } from '../fixtures/agent-process.ts'
import { spawnBridge, webhookUrlOf } from '../fixtures/bridge-process.ts'
import { order } from '../fixtures/events.ts'
import { FakePlatform, goodReply, type PlatformRequest } from '../fixtures/fake-platform.ts'
import { sendWebhook } from '../fixtures/webhook-sender.ts'

const delivered = { observedQuantity: 4, result: 'DELIVERED' }
const isReport = ({ path }: PlatformRequest) => path.endsWith('/delivery')
const never = new Promise<never>(() => undefined)

/** Starts an agent again, and waits until the platform has accepted the delivery of order 17. */
async function startsAgainAndReports(home: ReturnType<typeof agentHome>, url: string): Promise<unknown> {
  await using agent = spawnBridge(home, { SERVICE_WEBHOOK_FORWARD_URL: url })
  return await until(async () => {
    const answer = (await agent.call('orders.open', {})) as unknown as { data: { closed: { reported: string }[] } }
    return answer.data.closed[0]?.reported
  })
}

test('a result is reported after kill -9, before the first byte of the report was answered', async () => {
  await using platform = await FakePlatform.start(processPublicKey)
  using home = agentHome(platform.url)
  await using gameServer = await startReceiver(answering(200, delivered))
  platform.reply = (request) => (isReport(request) ? never : goodReply(request))
  {
    await using agent = spawnBridge(home, { SERVICE_WEBHOOK_FORWARD_URL: gameServer.url })
    const answer = await sendWebhook(await webhookUrlOf(agent), order)
    expect(answer).toEqual({ status: 200, body: { observedQuantity: 4 } })
    await until(() => platform.requests.some(isReport))
    await agent.kill()
  }
  platform.reply = goodReply
  expect(await startsAgainAndReports(home, gameServer.url)).toBe('DELIVERED')
  expect(gameServer.received).toHaveLength(1)
})

test('a result that was stored when the agent was killed is reported, and answers the platform, without another offer', async () => {
  await using platform = await FakePlatform.start(processPublicKey)
  using home = agentHome(platform.url)
  await using gameServer = await startReceiver(answering(200, delivered))
  platform.reply = (request) => (isReport(request) ? never : goodReply(request))
  {
    await using agent = spawnBridge(home, { SERVICE_WEBHOOK_FORWARD_URL: gameServer.url })
    sendWebhook(await webhookUrlOf(agent), order).catch(() => undefined)
    await agent.printed('order answered by the game server: DELIVERED')
    await agent.kill()
  }
  {
    await using agent = spawnBridge(home, { SERVICE_WEBHOOK_FORWARD_URL: gameServer.url })
    const answer = await sendWebhook(await webhookUrlOf(agent), order)
    expect(answer).toEqual({ status: 200, body: { observedQuantity: 4 } })
    await agent.kill()
  }
  platform.reply = goodReply
  expect(await startsAgainAndReports(home, gameServer.url)).toBe('DELIVERED')
  expect(gameServer.received).toHaveLength(1)
})

test('an order that was pushed when the agent was killed is pushed again, once the platform was asked', async () => {
  await using platform = await FakePlatform.start(processPublicKey)
  using home = agentHome(platform.url)
  await using gameServer = await startReceiver(() => undefined)
  {
    await using agent = spawnBridge(home, { SERVICE_WEBHOOK_FORWARD_URL: gameServer.url })
    sendWebhook(await webhookUrlOf(agent), order).catch(() => undefined)
    await gameServer.count(1)
    await agent.kill()
  }
  gameServer.reply(answering(200, delivered))
  expect(await startsAgainAndReports(home, gameServer.url)).toBe('DELIVERED')
  expect(gameServer.received).toHaveLength(2)
})
