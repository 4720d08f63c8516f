import { readFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { until } from '../../../scripts/until.ts'
import { order } from '../fixtures/events.ts'
import { startTestBridge } from '../fixtures/test-bridge.ts'

const file = (name: string) => readFileSync(join(import.meta.dirname, '..', 'fixtures', 'tls', name), 'utf8')

async function startSecureGameServer() {
  const server = createServer({ key: file('server-key.pem'), cert: file('server.pem') }, (request, response) => {
    request.resume().on('end', () => response.end('{"observedQuantity":4}'))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `https://localhost:${port}/orders`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

test('an order goes over TLS to a game server whose certificate SERVICE_CA_FILE knows', async () => {
  await using gameServer = await startSecureGameServer()
  await using bridge = await startTestBridge({ forwardUrl: gameServer.url, config: { extraCa: file('ca.pem') } })
  expect(await bridge.webhook(order)).toEqual({ status: 200, body: { observedQuantity: 4 } })
})

test('an order does not go to a server whose certificate nobody knows', async () => {
  await using gameServer = await startSecureGameServer()
  await using bridge = await startTestBridge({ forwardUrl: gameServer.url })
  const answer = bridge.webhook(order)
  await until(() => bridge.agent.logLines().some(({ msg }) => msg.startsWith('the game server did not take')))
  bridge.clock.advance(9_001)
  expect((await answer).status).toBe(503)
})
