import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { agentHome } from '../fixtures/agent-process.ts'
import { spawnBridge, webhookUrlOf } from '../fixtures/bridge-process.ts'
import { end, sendWebhook } from '../fixtures/webhook-sender.ts'

const lastMessage = (output: string) => String(JSON.parse(output.trimEnd().split('\n').at(-1) ?? '').msg)

test('a port for webhooks that is taken ends the start with 2 and names its setting', async () => {
  const other = createServer()
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
  const { port } = other.address() as AddressInfo
  using home = agentHome('http://127.0.0.1:9')
  await using agent = spawnBridge(home, { SERVICE_WEBHOOK_PORT: String(port) })
  expect(await agent.ended).toEqual({ code: 2, signal: null })
  expect(lastMessage(agent.output())).toBe(
    `SERVICE_WEBHOOK_PORT: port ${port} on 127.0.0.1 cannot be opened (EADDRINUSE). Is another agent running?`,
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
  using home = agentHome('http://127.0.0.1:9')
  await using agent = spawnBridge(home, {})
  const url = await webhookUrlOf(agent)
  rmSync(join(home.stateDir, 'orders.db'))
  await sendWebhook(url, end).catch(() => undefined)
  expect(await agent.ended).toEqual({ code: 1, signal: null })
  expect(lastMessage(agent.output())).toMatch(/orders\.db was removed or replaced.*The orders are forgotten with it/)
})
