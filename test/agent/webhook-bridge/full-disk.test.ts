import { expect, test } from 'vitest'
import { until } from '../../../scripts/until.ts'
import { startReceiver } from '../../platform-stub/fixtures/receiver.ts'
import { type AgentProcess, agentHome, processPublicKey } from '../fixtures/agent-process.ts'
import { spawnBridge, webhookUrlOf } from '../fixtures/bridge-process.ts'
import { end, order } from '../fixtures/events.ts'
import { FakePlatform } from '../fixtures/fake-platform.ts'
import { hasSmallDisks, smallDisk } from '../fixtures/small-disk.ts'
import { sendWebhook } from '../fixtures/webhook-sender.ts'

async function statusOf(agent: AgentProcess): Promise<{ ready: boolean; reasons: string[] }> {
  return (await fetch(`${await agent.listening}/status`)).json() as Promise<{ ready: boolean; reasons: string[] }>
}

test.skipIf(!hasSmallDisks)(
  'on a full disk a webhook is answered 503 and not handed on, and it is taken as soon as there is space',
  async () => {
    await using platform = await FakePlatform.start(processPublicKey)
    using home = agentHome(platform.url)
    using disk = await smallDisk(home.stateDir)
    await using gameServer = await startReceiver()
    const { wrapper } = disk
    await using agent = spawnBridge(home, { SERVICE_WEBHOOK_FORWARD_URL: gameServer.url }, { wrapper })
    const url = await webhookUrlOf(agent)
    disk.fill()
    // What the database has of its own is used up first.
    let transactionId = 100
    await until(async () => {
      const event = { ...end, transactionId: transactionId++ }
      platform.learn(event)
      return (await sendWebhook(url, event)).status === 503
    })
    expect((await statusOf(agent)).reasons).toContainEqual(
      expect.stringMatching(/^orders are refused, because .*free space/),
    )
    await until(() => /"level":"warn"[^\n]*"status":503[^\n]*free space/.test(agent.output()))
    expect((await sendWebhook(url, order)).status).toBe(503)
    const checked = await fetch(`${await agent.listening}/orders/check`, { method: 'POST' })
    expect([checked.status, await checked.json()]).toMatchObject([200, { ok: true }])
    expect(gameServer.received.some(({ event }) => event.transactionId === order.transactionId)).toBe(false)
    disk.free()
    await until(async () => (await statusOf(agent)).ready)
    expect(await sendWebhook(url, order)).toEqual({ status: 200, body: { observedQuantity: 4 } })
    expect(await agent.stop()).toEqual({ code: 0, signal: null })
  },
)
