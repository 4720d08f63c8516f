import { connect, type Socket } from 'node:net'
import pLimit from 'p-limit'
import { expect, test } from 'vitest'
import { startReceiver } from '../../platform-stub/fixtures/receiver.ts'
import { order } from '../fixtures/events.ts'
import { startTestBridge } from '../fixtures/test-bridge.ts'

test('500 silent connections, 500 slow ones and a thousand unsigned requests keep no order from the game server', async () => {
  await using receiver = await startReceiver()
  await using bridge = await startTestBridge({ forwardUrl: receiver.url })
  const url = new URL(bridge.agent.webhookUrl ?? '')
  const sockets: Socket[] = []
  const open = async (text: string) => {
    const socket = connect(Number(url.port), url.hostname)
    socket.on('error', () => undefined)
    sockets.push(socket)
    await new Promise((resolve) => socket.once('connect', resolve))
    socket.write(text)
  }
  for (let n = 0; n < 500; n++) await open('')
  const head = 'POST /webhook HTTP/1.1\r\nHost: x\r\nX-Platform-Signature: a..b\r\nContent-Length: 1000\r\n\r\n{'
  for (let n = 0; n < 500; n++) await open(head)
  // Together no more than the bridge has connections for, beside the silent ones, which it closes first.
  const slots = pLimit(100)
  const unsigned = Array.from({ length: 1_000 }, () =>
    slots(async () => (await fetch(url, { method: 'POST', body: '{}' })).status),
  )
  const answers = []
  for (let transactionId = 1; transactionId <= 20; transactionId++) {
    answers.push((await bridge.webhook({ ...order, transactionId })).status)
  }
  expect(answers).toEqual(answers.map(() => 200))
  expect(new Set(await Promise.all(unsigned))).toEqual(new Set([401]))
  const warnings = bridge.agent.logLines().filter(({ msg }) => msg === 'webhook refused')
  expect(warnings.length).toBeLessThanOrEqual(30)
  for (const socket of sockets) socket.destroy()
})
