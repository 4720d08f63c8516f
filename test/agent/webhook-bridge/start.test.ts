import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { agentHome, processPublicKey, spawnAgent } from '../fixtures/agent-process.ts'
import { spawnBridge, webhookUrlOf } from '../fixtures/bridge-process.ts'
import { end, order } from '../fixtures/events.ts'
import { FakePlatform } from '../fixtures/fake-platform.ts'
import { sendWebhook } from '../fixtures/webhook-sender.ts'

const lastMessage = (output: string) => String(JSON.parse(output.trimEnd().split('\n').at(-1) ?? '').msg)

test('a port for webhooks that is taken ends the start with 2 and names its setting', async () => {
  const other = createServer()
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
  const { port } = other.address() as AddressInfo
  using home = agentHome('http://127.0.0.1:9')
  await using agent = spawnBridge(home, { SERVICE_WEBHOOK_PORT: String(port) })
  expect(await agent.ended).toEqual({ code: 2, signal: null })
  expect(lastMessage(agent.output())).toBe(
    `SERVICE_WEBHOOK_PORT: port ${port} on 127.0.0.1 cannot be opened (EADDRINUSE). Stop the program that has this port, or set SERVICE_WEBHOOK_PORT to a free port`,
  )
  other.close()
})

test('a damaged ledger ends the start with 2, stays byte for byte, and the line says what to compare', async () => {
  using home = agentHome('http://127.0.0.1:9')
  mkdirSync(home.stateDir, { mode: 0o700 })
  const path = join(home.stateDir, 'orders.db')
  writeFileSync(path, 'not a database '.repeat(1_000))
  const before = readFileSync(path)
  await using agent = spawnBridge(home, {})
  expect(await agent.ended).toEqual({ code: 2, signal: null })
  expect(lastMessage(agent.output())).toMatch(/orders\.db: .*damaged.*left as it is.*compare the paid transactions/)
  expect(readFileSync(path).equals(before)).toBe(true)
})

test('a ledger whose file is removed while the agent runs ends the agent, because orders would be lost', async () => {
  await using platform = await FakePlatform.start(processPublicKey)
  platform.learn(end)
  using home = agentHome(platform.url)
  await using agent = spawnBridge(home, {})
  const url = await webhookUrlOf(agent)
  rmSync(join(home.stateDir, 'orders.db'))
  await sendWebhook(url, end).catch(() => undefined)
  expect(await agent.ended).toEqual({ code: 1, signal: null })
  expect(lastMessage(agent.output())).toMatch(/orders\.db was removed or replaced.*: the orders are forgotten/)
})

test('an agent whose bridge was turned off says at its start how many orders wait, and what brings them back', async () => {
  using home = agentHome('http://127.0.0.1:9')
  await using bridge = spawnBridge(home, {})
  void sendWebhook(await webhookUrlOf(bridge), order).catch(() => undefined)
  await bridge.printed('"msg":"order received"')
  await bridge.kill()
  await using agent = spawnAgent(home)
  await agent.listening
  const line = agent
    .output()
    .split('\n')
    .find((candidate) => candidate.includes('the webhook bridge is off'))
  expect(JSON.parse(line ?? '{}')).toMatchObject({
    level: 'warn',
    msg: 'the webhook bridge is off while orders in the ledger are open',
    openOrders: 1,
    cure: expect.stringMatching(/^set SERVICE_WEBHOOK_PORT again/),
  })
  await agent.kill()
  await using again = spawnBridge(home, {})
  await again.listening
  expect(again.output()).not.toContain('the webhook bridge is off')
  const listed = await fetch(`${await again.listening}/orders`)
  expect(await listed.json()).toMatchObject({ data: { orders: [{ transactionId: 17, state: 'received' }] } })
  expect(await again.call('orders.open', {})).toMatchObject({ data: { orders: [] } })
})

test('an agent without a bridge starts although the ledger is damaged and says so', async () => {
  using home = agentHome('http://127.0.0.1:9')
  mkdirSync(home.stateDir, { mode: 0o700 })
  writeFileSync(join(home.stateDir, 'orders.db'), 'not a database '.repeat(1_000))
  await using agent = spawnAgent(home)
  await agent.listening
  expect(agent.output()).toMatch(
    /orders\.db: .*damaged.*"msg":"the webhook bridge is off, and its ledger cannot be read"/,
  )
})
