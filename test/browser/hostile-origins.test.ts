import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Browser, Page } from 'playwright-core'
import { afterAll, expect, test } from 'vitest'
import { launchChromium } from '../../scripts/browser/chromium.ts'
import { ScriptedPlatform } from '../agent/fixtures/scripted-platform.ts'
import { agentPublicKey, startTestAgent } from '../agent/fixtures/test-agent.ts'
import { startStub } from '../platform-stub/fixtures/stub.ts'
import { hostileWays, type Targets } from './fixtures/hostile-ways.ts'

const agentReads = ['/operations', '/health', '/status', '/metrics']
const agentWrites = ['/call', '/orders/check', '/reload']
const stubReads = ['/stub/requests', '/stub/game-servers', '/stub/platform-key', '/console', '/console/requests']
const stubWrites = ['/stub/transactions/1/pay', '/stub/clock', '/stub/reset', '/stub/faults', '/stub/game-servers']
const partnerRoutes = ['/v1/api/transactions/1', '/v1/api/market/listings']
const call = JSON.stringify({ operation: 'market.withdraw', input: { itemRef: 'sword-1' }, name: 'x' })

/** Some hundred requests of a browser, one after the other. */
const manyRequests = { timeout: 120_000 }

let launched: Promise<Browser> | undefined
const chromium = () => {
  launched ??= launchChromium([
    // Every name of .test resolves to this machine, as a rebound name of an attacker would.
    '--host-resolver-rules=MAP *.test 127.0.0.1',
    '--no-proxy-server',
    // A defence of new browsers, which would keep the requests back before ours are asked.
    '--disable-features=LocalNetworkAccessChecks',
  ])
  return launched
}
afterAll(async () => (await launched)?.close())

const ways = Object.keys(hostileWays) as (keyof typeof hostileWays)[]

test.for(ways)('a web page of another origin reads nothing and changes nothing by %s', manyRequests, async (way) => {
  await using victim = await startVictim()
  await using hostile = await startHostileSite()
  await using context = await (await chromium()).newContext()
  for (const host of ['evil.test', '127.0.0.1']) {
    const page = await context.newPage()
    const before = victim.answered.length
    const ports = way === 'DNS rebinding' ? victim.targetsByPort : [victim.targets]
    for (const targets of ports) {
      await openHostilePage(page, way === 'DNS rebinding' ? reboundPage(targets, host) : hostile.on(host))
      expect(await page.evaluate(hostileWays[way], targets), `read from ${host}`).toEqual([])
    }
    // Beacons arrive after the page has gone on. Nothing was proved if the requests had stayed in the browser.
    await expect
      .poll(() => victim.answered.length - before, { timeout: 60_000 })
      .toBeGreaterThanOrEqual(way === 'WebSocket' ? 3 : victim.targets.writes.length)
    await page.close()
  }
  expect(victim.answered.filter(({ status }) => status < 400)).toEqual([])
  await victim.expectUntouched()
})

test(
  'a page that opens the agent in a new window sees none of it, and the console is shown only to the person',
  manyRequests,
  async () => {
    await using victim = await startVictim()
    await using hostile = await startHostileSite()
    await using context = await (await chromium()).newContext()
    const page = await context.newPage()
    await openHostilePage(page, hostile.on('evil.test'))
    for (const url of victim.targets.reads) {
      const [opened] = await Promise.all([
        context.waitForEvent('page'),
        page.evaluate((address) => Reflect.set(window, 'opened', window.open(address)), url),
      ])
      await opened.waitForLoadState()
      const seen = await page.evaluate(() => {
        try {
          return (Reflect.get(window, 'opened') as Window).document.body.innerText
        } catch {
          return ''
        }
      })
      expect(seen, url).toBe('')
      await opened.close()
    }
    const shown = victim.answered.filter(({ status }) => status < 400).map(({ path }) => path)
    expect(shown.filter((path) => !/^\/(?:console|assets)/.test(path))).toEqual([])
    await victim.expectUntouched()
  },
)

/** An agent with its webhook port, and a stub with a purchase that waits for its payment. */
async function startVictim() {
  await using started = new AsyncDisposableStack()
  const platform = started.use(await ScriptedPlatform.start())
  const webhook = {
    host: '127.0.0.1',
    port: 0,
    path: '/webhook',
    forwardUrl: undefined,
    forwardToken: undefined,
    ordersBy: 'asking' as const,
  }
  const agent = started.use(
    await startTestAgent(platform.url, { platformKeys: new Map([['platform', agentPublicKey]]), webhook }),
  )
  const stub = started.use(await startStub())
  const transactionId = await (await stub.gameServer()).purchase()
  const { checkoutUrl } = await stub.transaction(transactionId)
  const before = await stateOf(stub)

  const bridge = new URL(agent.webhookUrl ?? '').origin
  const on = (origin: string, paths: readonly string[]) => paths.map((path) => `${origin}${path}`)
  const payment = [`${new URL(checkoutUrl).pathname}/pay`]
  const targetsByPort: Targets[] = [
    { reads: on(agent.url, agentReads), writes: on(agent.url, agentWrites), call },
    { reads: on(bridge, ['/webhook', '/health']), writes: on(bridge, ['/webhook', '/call']), call },
    { reads: on(stub.url, stubReads), writes: on(stub.url, [...stubWrites, ...partnerRoutes, ...payment]), call },
  ]

  const answered: { readonly path: string; readonly status: number }[] = []
  const ports = new Set([agent.url, bridge, stub.url].map((url) => Number(new URL(url).port)))
  const onFinish = (message: unknown) => {
    const { request, response, server } = message as {
      request: IncomingMessage
      response: ServerResponse
      server: Server
    }
    const isOfBrowser = request.headers['user-agent']?.includes('Chrome') === true
    const port = (server.address() as AddressInfo | null)?.port
    if (isOfBrowser && port !== undefined && ports.has(port))
      answered.push({ path: request.url ?? '', status: response.statusCode })
  }
  subscribe('http.server.response.finish', onFinish)
  started.defer(() => void unsubscribe('http.server.response.finish', onFinish))
  const owned = started.move()
  return {
    targetsByPort,
    targets: {
      reads: targetsByPort.flatMap(({ reads }) => reads),
      writes: targetsByPort.flatMap(({ writes }) => writes),
      call,
    },
    /** What the browser was answered by agent, bridge and stub. */
    answered,
    async expectUntouched() {
      expect(platform.seen).toEqual([])
      expect(await stateOf(stub)).toEqual(before)
      expect((await stub.transaction(transactionId)).phase).toBe('awaiting-payment')
      // The same call of a program on this machine does reach the platform.
      await agent.call('market.withdraw', { itemRef: 'sword-1' })
      expect(platform.seen.length).toBe(1)
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

/** Everything of the stub that a control route changes; of its clock, whether it travels. */
async function stateOf(stub: Awaited<ReturnType<typeof startStub>>): Promise<unknown> {
  const paths = ['/stub/transactions', '/stub/listings', '/stub/game-servers', '/stub/faults', '/stub/webhooks']
  const texts = await Promise.all(paths.map(async (path) => (await stub.request('GET', path)).text))
  return [texts, (await stub.request('GET', '/stub/clock')).data.travelling]
}

/** A site on another port. The same page under two names: one of another site, one of the same. */
async function startHostileSite() {
  const server = createServer((_, response) => {
    response.writeHead(200, { 'Content-Type': 'text/html' }).end('<!doctype html><title>hostile</title><body>')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    on: (host: string) => `http://${host}:${port}/`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** The attacker's page at a port of the victim: it was loaded before the name led there. */
function reboundPage({ reads }: Targets, host: string): string {
  const name = host === 'evil.test' ? host : 'localhost.test'
  return `http://${name}:${new URL(reads[0] ?? '').port}/attacker`
}

/** Opens a page of the attacker, whatever answers at its address now. */
async function openHostilePage(page: Page, url: string): Promise<void> {
  await page.route(url, (route) =>
    route.fulfill({ contentType: 'text/html', body: '<!doctype html><title>hostile</title><body>' }),
  )
  await page.goto(url)
}
