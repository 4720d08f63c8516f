import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net'
import { expect, test } from 'vitest'
import { judgePort } from '../../../agent/check/port-stages.ts'
import { testKeysOf } from '../../vectors/test-keys.ts'
import { agentHome, spawnAgent } from '../fixtures/agent-process.ts'
import { checkSetup } from '../fixtures/check-setup.ts'

const timeout = 120_000

async function listen(server: Server) {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    port: String(port),
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(() => resolve())),
  }
}

test('a port of another program is wrong, whether it speaks HTTP or not', { timeout }, async () => {
  using ready = checkSetup()
  await using web = await listen(createServer((_request, response) => void response.end('{"ok":true}')))
  await using other = await listen(
    createTcpServer(
      (socket) =>
        void socket
          .on('error', () => undefined)
          .resume()
          .end('SSH-2.0\r\n'),
    ),
  )
  for (const { port } of [web, other]) {
    expect(await ready.faults({ SERVICE_AGENT_PORT: port })).toEqual([
      {
        name: 'port',
        ok: false,
        message: `127.0.0.1:${port}: another program has this port`,
        cure: 'stop the program that has this port, or set SERVICE_AGENT_PORT to a free port',
      },
    ])
  }
})

test('an address that this host does not have, and a port that is reserved, are wrong', { timeout }, async () => {
  const plan = { setting: 'SERVICE_AGENT_PORT', host: '127.0.0.1', port: 80, portMin: 1_024 } as const
  expect(judgePort(plan, { at: 'free' }, false)).toMatchObject({
    ok: false,
    cure: 'set SERVICE_AGENT_PORT to 1024 or above',
  })
  expect(judgePort(plan, { at: 'unusable', code: 'EADDRNOTAVAIL' }, false)).toMatchObject({
    ok: false,
    cure: 'set SERVICE_AGENT_HOST to an address of this host',
  })
  expect(judgePort({ ...plan, port: 0 }, { at: 'free' }, false)).toMatchObject({ ok: true })
})

test('the webhook port is checked too: free, ours, or of another program', { timeout }, async () => {
  using ready = checkSetup()
  using home = agentHome('http://127.0.0.77:9')
  const { publicKey } = testKeysOf('platform')
  writeFileSync(ready.path('platform.pem'), publicKey.export({ type: 'spki', format: 'pem' }))
  const bridge = (port: string) => ({
    SERVICE_PLATFORM_KID: 'p-1',
    SERVICE_PLATFORM_PUBLIC_KEY_FILE: ready.path('platform.pem'),
    SERVICE_WEBHOOK_PORT: port,
  })
  expect(await ready.stages(['webhook-port'], bridge('0'))).toMatchObject([{ ok: true }])
  await using other = await listen(createServer((_request, response) => void response.end()))
  expect(await ready.faults(bridge(other.port))).toMatchObject([
    { name: 'webhook-port', cure: expect.stringContaining('SERVICE_WEBHOOK_PORT') },
  ])
  const noAddress = { ...bridge('0'), SERVICE_WEBHOOK_HOST: '192.0.2.1' }
  expect(await ready.faults(noAddress)).toMatchObject([
    { name: 'webhook-port', cure: 'set SERVICE_WEBHOOK_HOST to an address of this host' },
  ])

  const env = { ...bridge('0'), SERVICE_STATE_DIR: ready.path('state') }
  await using agent = spawnAgent(home, { env })
  const { port } = new URL(await agent.listening)
  const webhookPort = /"url":"http:\/\/127\.0\.0\.1:(\d+)\/webhook"/.exec(agent.output())?.[1] ?? ''
  expect(
    await ready.stages(['port', 'webhook-port'], { ...bridge(webhookPort), SERVICE_AGENT_PORT: port }),
  ).toMatchObject([
    { name: 'port', ok: true },
    { name: 'webhook-port', ok: true, message: `127.0.0.1:${webhookPort}: a market-agent listens there now` },
  ])
})
