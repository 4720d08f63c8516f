import { createPublicKey, type KeyObject } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { WebhookSettings } from '../../agent/config/config.ts'
import { readSigningKey } from '../../agent/signing/signing-key.ts'
import { openEnvelope } from '../../contract/envelope/open.ts'
import { StubClock } from '../../platform-stub/clock/clock.ts'
import { machineTime } from '../../platform-stub/clock/machine-time.ts'
import { keyInFolder } from '../../platform-stub/commands/probe-webhook/key.ts'
import { probeWebhook } from '../../platform-stub/commands/probe-webhook/run.ts'
import { makeRandom } from '../../platform-stub/server/random.ts'
import { until } from '../../scripts/until.ts'
import { FakePlatform } from '../agent/fixtures/fake-platform.ts'
import { LiveClock } from '../agent/fixtures/live-clock.ts'
import { agentPublicKey, startTestAgent, type TestAgent } from '../agent/fixtures/test-agent.ts'
import { temporaryFolder } from '../platform-stub/fixtures/process.ts'
import { startReceiver } from '../platform-stub/fixtures/receiver.ts'
import { sharedPrivateKey, startStub } from '../platform-stub/fixtures/stub.ts'

/** A game server behind the bridge: it takes each order, and remembers what it was told. */
interface GameServer extends AsyncDisposable {
  readonly forwardUrl?: string
  readonly spoolDir?: string
  /** Works until the test ends, if it has something to do of its own accord. */
  readonly work?: (agent: TestAgent) => Promise<void>
  /** The outcome of a transaction, as soon as the game server knows it. */
  outcome(transactionId: number): Promise<string>
}

const observedQuantity = 4

async function overHttp(): Promise<GameServer> {
  const receiver = await startReceiver()
  return {
    forwardUrl: receiver.url,
    outcome: async (transactionId) => (await receiver.event('transaction_terminal', transactionId)).event.outcome,
    [Symbol.asyncDispose]: () => receiver[Symbol.asyncDispose](),
  }
}

async function overFiles(): Promise<GameServer> {
  const spoolDir = mkdtempSync(join(tmpdir(), 'market-agent-spool-'))
  const outcomes = new Map<number, string>()
  let isOver = false
  return {
    spoolDir,
    async work() {
      while (!isOver) {
        for (const name of readdirSync(join(spoolDir, 'events'))) {
          if (!name.endsWith('.json') || name.startsWith('.')) continue
          const path = join(spoolDir, 'replies', name)
          try {
            const event = JSON.parse(readFileSync(join(spoolDir, 'events', name), 'utf8'))
            if (event.outcome) outcomes.set(event.transactionId, event.outcome)
            writeFileSync(`${path}.tmp`, JSON.stringify(event.outcome ? {} : { observedQuantity }))
            renameSync(`${path}.tmp`, path)
          } catch {
            // The agent has just taken it away.
          }
        }
        await new Promise((resolve) => {
          setTimeout(resolve, 20)
        })
      }
      rmSync(spoolDir, { recursive: true, force: true })
    },
    outcome: (transactionId) => until(async () => outcomes.get(transactionId)),
    async [Symbol.asyncDispose]() {
      isOver = true
    },
  }
}

async function byAsking(): Promise<GameServer> {
  const outcomes = new Map<number, string>()
  let isOver = false
  return {
    async work(agent) {
      while (!isOver) {
        const { data } = (await agent.call('orders.open', {})) as unknown as { data: Record<string, Listed[]> }
        for (const { transactionId, outcome } of data['closed'] ?? []) if (outcome) outcomes.set(transactionId, outcome)
        for (const { transactionId, state } of data['orders'] ?? []) {
          if (state === 'offered') await agent.call('orders.take', { transactionId, observedQuantity })
        }
        await new Promise((resolve) => {
          setTimeout(resolve, 20)
        })
      }
    },
    outcome: (transactionId) => until(async () => outcomes.get(transactionId)),
    async [Symbol.asyncDispose]() {
      isOver = true
    },
  }
}

interface Listed {
  readonly transactionId: number
  readonly state: string
  readonly outcome?: string | null
}

function webhookOf({ forwardUrl, spoolDir }: GameServer): WebhookSettings {
  const ordersBy = forwardUrl !== undefined ? 'url' : spoolDir !== undefined ? 'files' : 'asking'
  return { host: '127.0.0.1', port: 0, path: '/webhook', forwardUrl, forwardToken: undefined, ordersBy }
}

/** Passes webhooks on and makes the platform show each transaction as a valid event of it says. */
async function startEntrance(to: string, platform: FakePlatform, keys: ReadonlyMap<string, KeyObject>) {
  const server = createServer(async (incoming, response) => {
    const body = Buffer.concat(await incoming.toArray())
    const headerLines = incoming.headersDistinct['x-platform-signature'] ?? []
    const rules = { keys, nowS: Date.now() / 1000, leewayS: 0, request: null }
    if ((await openEnvelope({ headerLines, body }, rules)).ok) platform.learn(JSON.parse(body.toString()) as object)
    const { method, headers } = incoming
    const passedOn = request(
      to,
      { method: method ?? 'POST', headers: { ...headers, 'content-length': body.byteLength } },
      (answer) => {
        response.writeHead(answer.statusCode ?? 0, answer.headers)
        answer.pipe(response)
      },
    )
    passedOn.on('error', () => response.destroy()).end(body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/webhook`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

const ways = { 'over HTTP': overHttp, 'over files': overFiles, 'by asking': byAsking } as const

for (const [way, startGameServer] of Object.entries(ways)) {
  test(`a sale through the bridge ${way}: the order is acknowledged with its stock, delivered, and its end is known`, async () => {
    await using stub = await startStub()
    await using gameServer = await startGameServer()
    const provisioned = await stub.gameServer()
    const pem = sharedPrivateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
    const config = {
      apiKey: provisioned.apiKey,
      signingKey: readSigningKey(pem, provisioned.kid),
      platformKeys: new Map([[provisioned.platformKid, createPublicKey(provisioned.platformPublicKeyPem)]]),
      webhook: webhookOf(gameServer),
      spoolDir: gameServer.spoolDir,
    }
    await using agent = await startTestAgent(stub.url, config, { clock: new LiveClock() })
    await stub.request('PUT', `/stub/game-servers/${provisioned.id}`, { webhookUrl: agent.webhookUrl })
    const working = gameServer.work?.(agent)
    const transactionId = await provisioned.paidTransaction()
    const [delivery] = await until(async () => {
      const deliveries = await stub.deliveries(transactionId)
      return deliveries[0]?.attempts[0]?.responseStatus === 200 && deliveries
    })
    expect(JSON.parse(delivery?.attempts[0]?.responseBody ?? '')).toEqual({ observedQuantity })
    const call = await agent.call('transaction.delivery', { transactionId }, `delivery-${transactionId}`)
    expect(call).toMatchObject({ ok: true, data: { deliveryStatus: 'ENTREGUE' } })
    expect(await gameServer.outcome(transactionId)).toBe('CONCLUIDA')
    const states = await until(async () => {
      const deliveries = await stub.deliveries(transactionId)
      return deliveries.every(({ attempts }) => attempts.at(-1)?.responseStatus === 200) && deliveries
    })
    expect(states.map(({ event }) => event).sort()).toEqual(['transaction_terminal', 'transfer_order'])
    await gameServer[Symbol.asyncDispose]()
    await working
  })

  test(`the bridge with a game server ${way} behind it passes every probe of a webhook receiver`, async () => {
    await using folder = await temporaryFolder()
    await using gameServer = await startGameServer()
    const key = await keyInFolder(folder.path)
    const publicKey = createPublicKey(readFileSync(join(folder.path, 'public-key.pem')))
    const config = {
      platformKeys: new Map([[key.kid, publicKey]]),
      webhook: webhookOf(gameServer),
      spoolDir: gameServer.spoolDir,
    }
    await using platform = await FakePlatform.start(agentPublicKey)
    await using agent = await startTestAgent(platform.url, config, { clock: new LiveClock() })
    await using entrance = await startEntrance(agent.webhookUrl ?? '', platform, config.platformKeys)
    const working = gameServer.work?.(agent)
    const lines: string[] = []
    const hasPassed = await probeWebhook({
      url: entrance.url,
      key,
      sale: { itemRef: 'probe-item', buyerCharacterRef: 'probe-buyer', sellerCharacterRef: 'probe-seller' },
      random: makeRandom(null),
      clock: new StubClock(machineTime, 0),
      print: (line) => lines.push(line),
    })
    expect(lines.filter((line) => /^(FAIL|\?)/.test(line))).toEqual([])
    expect(hasPassed).toBe(true)
    await gameServer[Symbol.asyncDispose]()
    await working
  })
}
