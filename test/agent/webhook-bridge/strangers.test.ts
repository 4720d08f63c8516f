import { connect, type Socket } from 'node:net'
import pLimit from 'p-limit'
import { expect, test } from 'vitest'
import { startReceiver } from '../../platform-stub/fixtures/receiver.ts'
import { order } from '../fixtures/events.ts'
import { startTestBridge } from '../fixtures/test-bridge.ts'
import { signWebhook } from '../fixtures/webhook-sender.ts'

// The head of a webhook that a stranger has recorded: without one, the body is not even read.
const recorded = await signWebhook('{}')
const head = `POST /webhook HTTP/1.1\r\nHost: x\r\nX-Platform-Signature: ${recorded}\r\nContent-Length: 1000\r\n\r\n{`

const reopenMs = 300

/** More connections than the port has, each opened again soon after the agent closes it. */
async function openConnections(url: URL, count: number, textOf: (n: number) => string) {
  const sockets = new Set<Socket>()
  let isOver = false
  const open = (n: number): Promise<void> =>
    new Promise((resolve) => {
      const socket = connect(Number(url.port), url.hostname)
      sockets.add(socket)
      socket.on('error', () => undefined)
      socket.once('close', () => {
        resolve()
        sockets.delete(socket)
        // Both ends are in this process: without a pause they would keep it from everything else.
        setTimeout(() => isOver || void open(n), reopenMs).unref()
      })
      socket.once('connect', () => socket.write(textOf(n), () => resolve()))
    })
  const slots = pLimit(100)
  await Promise.all(Array.from({ length: count }, (_, n) => slots(() => open(n))))
  return {
    [Symbol.dispose]() {
      isOver = true
      for (const socket of sockets) socket.destroy()
    },
  }
}

for (const [what, textOf] of [
  ['2,000 silent connections', () => ''],
  ['2,000 connections with half a head', () => 'POST /webhook HTTP/1.1\r\nHost: x\r\n'],
  ['2,000 connections with half a body', () => head],
  ['2,000 connections, silent and with half a body in turn', (n: number) => (n % 2 === 0 ? '' : head)],
] as const) {
  test(`${what} keep no order from the game server`, async () => {
    await using receiver = await startReceiver()
    await using bridge = await startTestBridge({ forwardUrl: receiver.url })
    using _ = await openConnections(new URL(bridge.agent.webhookUrl ?? ''), 2_000, textOf)
    const statuses = []
    for (let transactionId = 1; transactionId <= 10; transactionId++) {
      statuses.push((await bridge.webhook({ ...order, transactionId })).status)
    }
    expect(statuses).toEqual(statuses.map(() => 200))
  })
}

test('a thousand unsigned requests are refused, keep no order from the game server, and leave few lines in the log', async () => {
  await using receiver = await startReceiver()
  await using bridge = await startTestBridge({ forwardUrl: receiver.url })
  const slots = pLimit(100)
  const refused = Array.from({ length: 1_000 }, () =>
    slots(async () => (await fetch(bridge.agent.webhookUrl ?? '', { method: 'POST', body: '{}' })).status),
  )
  expect((await bridge.webhook(order)).status).toBe(200)
  expect(new Set(await Promise.all(refused))).toEqual(new Set([401]))
  const warnings = bridge.agent.logLines().filter(({ msg }) => msg === 'webhook refused')
  expect(warnings.length).toBeLessThanOrEqual(30)
})
