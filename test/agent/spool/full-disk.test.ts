import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Status } from '../../../agent/status/status.ts'
import { until } from '../../../scripts/until.ts'
import { type AgentProcess, agentHome, processPublicKey, spawnAgent } from '../fixtures/agent-process.ts'
import { spawnBridge, webhookUrlOf } from '../fixtures/bridge-process.ts'
import { order } from '../fixtures/events.ts'
import { FakePlatform } from '../fixtures/fake-platform.ts'
import { hasSmallDisks, smallDisk } from '../fixtures/small-disk.ts'
import { eligible, purchase, putRequest } from '../fixtures/spool-fixture.ts'
import { goodInputs } from '../fixtures/test-agent.ts'
import { sendWebhook } from '../fixtures/webhook-sender.ts'

const statusOf = async ({ listening }: AgentProcess) =>
  (await (await fetch(`${await listening}/status`)).json()) as Status
const spoolReasonsOf = async (agent: AgentProcess) =>
  (await statusOf(agent)).reasons.filter((reason) => reason.startsWith('SERVICE_SPOOL_DIR'))

for (const full of ['space', 'names'] as const) {
  test.skipIf(!hasSmallDisks)(
    `an agent starts without ${full} on the spool's disk, is not ready and says why, and takes the spool up when there is room`,
    async () => {
      await using platform = await FakePlatform.start(processPublicKey)
      using home = agentHome(platform.url)
      using disk = await smallDisk(home.spoolDir)
      if (full === 'space') disk.fill()
      else disk.fillNames()
      const options = { wrapper: disk.wrapper, env: { SERVICE_SPOOL_DIR: home.spoolDir } }
      await using agent = spawnAgent(home, options)
      expect(await agent.call('transaction.create', goodInputs['transaction.create'])).toMatchObject({ ok: true })
      const reason = expect.stringMatching(/ENOSPC.*free space on its disk/i)
      expect(await statusOf(agent)).toMatchObject({
        ready: false,
        reasons: [reason],
        spool: { backlog: 0, inFlight: 0 },
      })
      expect(agent.output().match(/"msg":"the spool cannot be started; tried again"/g)).toHaveLength(1)
      disk.free()
      await agent.printed('"msg":"the spool is started"')
      expect(await spoolReasonsOf(agent)).toEqual([])
      putRequest(join(disk.path, 'outbox'), 'ask', eligible)
      const answer = await until(() => readFileSync(join(disk.path, 'inbox', 'ask.json'), 'utf8'))
      expect(JSON.parse(answer)).toMatchObject({ id: 'ask', ok: true })
      await using other = spawnAgent(home, {
        ...options,
        env: { ...options.env, SERVICE_STATE_DIR: join(home.dir, 'other') },
      })
      expect(await other.ended).toEqual({ code: 3, signal: null })
      expect(await agent.stop()).toEqual({ code: 0, signal: null })
    },
  )
}

test.skipIf(!hasSmallDisks)(
  'what an agent had claimed is answered once when its disk has room again, and not sent again',
  async () => {
    await using platform = await FakePlatform.start(processPublicKey)
    using home = agentHome(platform.url)
    using disk = await smallDisk(home.spoolDir)
    const options = { wrapper: disk.wrapper, env: { SERVICE_SPOOL_DIR: home.spoolDir } }
    platform.reply = () => new Promise<never>(() => undefined)
    await using first = spawnAgent(home, options)
    await first.listening
    putRequest(join(disk.path, 'outbox'), 'buy-1', purchase)
    await platform.arrived(1)
    await first.kill()
    // The next owner would remove it and have room.
    rmSync(join(disk.path, 'owner.json'))
    disk.fill()
    await using second = spawnAgent(home, options)
    await second.listening
    expect(await spoolReasonsOf(second)).toHaveLength(1)
    expect(readdirSync(join(disk.path, 'inbox'))).toEqual([])
    disk.free()
    const answer = await until(() => readFileSync(join(disk.path, 'inbox', 'buy-1.json'), 'utf8'))
    expect(JSON.parse(answer)).toMatchObject({ ok: false, uncertain: true })
    expect(platform.requests).toHaveLength(1)
    expect(await second.stop()).toEqual({ code: 0, signal: null })
  },
)

test.skipIf(!hasSmallDisks)('an agent that waits for room on the spool stops at once', async () => {
  using home = agentHome('http://127.0.0.1:9')
  using disk = await smallDisk(home.spoolDir)
  disk.fill()
  await using agent = spawnAgent(home, { wrapper: disk.wrapper, env: { SERVICE_SPOOL_DIR: home.spoolDir } })
  await agent.listening
  expect(await spoolReasonsOf(agent)).toHaveLength(1)
  expect(await agent.stop()).toEqual({ code: 0, signal: null })
  expect(agent.output()).not.toContain('the spool is started')
})

test.skipIf(!hasSmallDisks)(
  'an order is taken over HTTP while the spool has no room, and its file comes when it has',
  async () => {
    await using platform = await FakePlatform.start(processPublicKey)
    using home = agentHome(platform.url)
    using disk = await smallDisk(home.spoolDir)
    disk.fill()
    await using agent = spawnBridge(home, { SERVICE_SPOOL_DIR: home.spoolDir }, { wrapper: disk.wrapper })
    const sent = sendWebhook(await webhookUrlOf(agent), order)
    const isOpen = async () => JSON.stringify(await agent.call('orders.open', {})).includes('"transactionId":17')
    await until(isOpen)
    disk.free()
    await until(() => existsSync(join(disk.path, 'events', 'transfer_order-17.json')))
    writeFileSync(join(disk.path, 'replies', 'transfer_order-17.json'), '{"observedQuantity":3}')
    expect(await sent).toEqual({ status: 200, body: { observedQuantity: 3 } })
    expect(await agent.stop()).toEqual({ code: 0, signal: null })
  },
)
