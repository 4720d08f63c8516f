import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type AgentHome, spawnAgent } from '../fixtures/agent-process.ts'
import { spawnBridge, webhookUrlOf } from '../fixtures/bridge-process.ts'
import { commandOutput } from '../fixtures/command-output.ts'
import { order } from '../fixtures/events.ts'
import { StoreProcesses } from '../fixtures/store-processes.ts'
import { goodInputs } from '../fixtures/test-agent.ts'
import { sendWebhook } from '../fixtures/webhook-sender.ts'

const purchase = goodInputs['transaction.create']

/** Starts an agent, with the store or without, looks at what it knows, and stops it. */
async function lookAt(home: AgentHome, env: Readonly<Record<string, string>>) {
  await using agent = spawnBridge(home, { SERVICE_ORDERS_BY: 'asking', ...env })
  const bought = await agent.call('transaction.create', purchase, 'buy-1')
  const { data } = (await agent.call('orders.open', {})) as unknown as { data: { orders: { transactionId: number }[] } }
  await agent.stop()
  return { replayed: bought['replayed'], orders: data.orders.map(({ transactionId }) => transactionId) }
}

test('a stopped agent takes its ids and orders into the store and back, each time all or nothing', async () => {
  await using hosts = await StoreProcesses.start()
  const { home, agent: first, proxy } = await hosts.spawn('a')
  await first.stop()
  const store = { SERVICE_STORE_URL: hosts.urlAt(proxy.port), SERVICE_AGENT_NAME: 'a' }
  const move = (direction: '--to' | '--from') => commandOutput(['store', 'move', direction], { ...home.env, ...store })

  await using own = spawnBridge(home, { SERVICE_ORDERS_BY: 'asking' })
  expect(await own.call('transaction.create', purchase, 'buy-1')).toMatchObject({ ok: true })
  void sendWebhook(await webhookUrlOf(own), order).catch(() => undefined)
  await own.printed('order confirmed by the platform')
  expect(await move('--to')).toMatchObject({ code: 3 })
  await own.stop()

  await using refused = spawnAgent(home, { env: store })
  expect((await refused.ended).code).toBe(2)
  expect(refused.output()).toContain(
    '1 open orders that are not in the store: move them with: market-agent store move --to',
  )

  expect(await move('--to')).toMatchObject({ code: 0, stdout: 'moved: 1 ids, 1 orders\n' })
  expect(existsSync(join(home.stateDir, 'orders.db'))).toBe(false)
  expect(await move('--to')).toMatchObject({ code: 0, stdout: 'moved: 0 ids, 0 orders\n' })
  const known = { replayed: true, orders: [order.transactionId] }
  expect(await lookAt(home, store)).toEqual(known)

  const other = await hosts.spawn('b')
  await other.agent.listening
  const busy = await move('--from')
  expect([busy.code, busy.stderr]).toEqual([2, expect.stringContaining('agent b still uses the store; stop it first')])
  await other.agent.stop()
  expect(await move('--from')).toMatchObject({ code: 0, stdout: 'moved: 1 ids, 1 orders\n' })
  expect(await hosts.database.query('SELECT transaction_id FROM market_agent.orders')).toEqual([])
  expect(await lookAt(home, {})).toEqual(known)
})

test('what was moved before is not moved over what happened since', async () => {
  await using hosts = await StoreProcesses.start()
  const { home, agent: first, proxy } = await hosts.spawn('a')
  await first.stop()
  const store = { SERVICE_STORE_URL: hosts.urlAt(proxy.port), SERVICE_AGENT_NAME: 'a' }
  const move = () => commandOutput(['store', 'move', '--to'], { ...home.env, ...store })
  const withOrder = async () => {
    await using own = spawnBridge(home, { SERVICE_ORDERS_BY: 'asking' })
    void sendWebhook(await webhookUrlOf(own), order).catch(() => undefined)
    await own.printed('order confirmed by the platform')
    await own.stop()
  }
  await withOrder()
  await move()
  await hosts.database.query(
    `UPDATE market_agent.orders SET phase = 'closed', record = replace(record, 'offered', 'closed')`,
  )
  // As after a crash between the commit and the new names.
  await withOrder()
  expect(await move()).toMatchObject({ code: 0 })
  expect(await hosts.database.query('SELECT phase FROM market_agent.orders')).toEqual([{ phase: 'closed' }])
})

test('a move says what is missing, and never shows the address', async () => {
  await using hosts = await StoreProcesses.start()
  const { home, agent } = await hosts.spawn('a')
  await agent.stop()
  const run = (...args: string[]) => commandOutput(['store', 'move', ...args], home.env)
  for (const args of [[], ['--to'], ['--to', 'x', '--from', 'y'], ['--to', 'mysql://u:secret-1@h/d']]) {
    const { code, stderr } = await run(...args)
    expect(code, args.join(' ')).toBe(2)
    expect(stderr).toMatch(/^market-agent store: /)
    expect(stderr).not.toContain('secret-1')
  }
  expect(await run('--to', 'postgres://u:secret-1@127.0.0.1:1/d')).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/no host of the store accepts writes(?!.*secret-1)/),
  })
})
