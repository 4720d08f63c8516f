import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { run, serve, serveIn, temporaryFolder } from '../fixtures/process.ts'
import { startReverseProxy } from '../fixtures/reverse-proxy.ts'
import { offer, StubControl, send, startStub } from '../fixtures/stub.ts'

const publicUrl = 'https://market.example'

/** What is only for the developer. */
const developerPaths = [
  '/',
  '/stub/clock',
  '/stub/platform-key',
  '/stub/game-servers',
  '/stub/transactions',
  '/console',
  '/console/changes',
  '/console/game-servers/1',
  '/console/game-servers/1/agent.env',
  '/console/game-servers/1/signing-key.pem',
  '/openapi.json',
]

/** Only of the head: a stream of changes has no end. */
async function statusAt(url: string): Promise<number> {
  const { status, body } = await fetch(url)
  await body?.cancel()
  return status
}

test('behind a reverse proxy that adds no header, control routes, console, OpenAPI document and keys are not there', async () => {
  await using stub = await startStub({ publicUrl })
  await using proxy = await startReverseProxy(stub.url)
  await stub.developer.gameServer()
  const behind = new StubControl(proxy.url)
  const statusesAt = (url: string) => Promise.all(developerPaths.map((path) => statusAt(`${url}${path}`)))
  const nowhere = Array(developerPaths.length).fill(404)
  expect(await statusesAt(proxy.url)).toEqual(nowhere)
  expect(await statusesAt(stub.url)).toEqual(nowhere)
  // The game server has brought its own key: there is no private half to download.
  const key = '/console/game-servers/1/signing-key.pem'
  expect(await statusesAt(stub.developer.url)).toEqual(developerPaths.map((path) => (path === key ? 404 : 200)))
  expect((await behind.request('POST', '/stub/reset')).status).toBe(404)
})

test('behind a reverse proxy players and game servers find everything that is theirs', async () => {
  await using stub = await startStub({ publicUrl })
  await using proxy = await startReverseProxy(stub.url)
  const { data } = await stub.developer.request('POST', '/stub/game-servers', { name: 'Aurora' })
  expect(data.baseUrl).toBe(publicUrl)
  const server = await stub.developer.gameServer()
  await server.seller()
  const call = async (...asked: Parameters<typeof server.sealed>) => {
    const sealed = await server.sealed(...asked)
    return send({ ...sealed, url: sealed.url.replace(stub.developer.url, proxy.url) })
  }
  expect((await call('market.register', { ...offer, sellerCharacterRef: 'seller' })).status).toBe(200)
  const bought = { itemRef: offer.itemRef, quantity: 1, buyerCharacterRef: 'b' }
  const { data: purchase } = await call('transaction.create', bought)
  const checkout = new URL(purchase.checkoutUrl).pathname
  const page = await fetch(`${proxy.url}${checkout}`)
  expect(page.status).toBe(200)
  const [stylesheet = ''] = /\/assets\/[^"]+\.css/.exec(await page.text()) ?? []
  expect((await fetch(`${proxy.url}${stylesheet}`)).status).toBe(200)
  const headers = { Origin: publicUrl, 'Sec-Fetch-Site': 'same-origin' }
  const paid = await fetch(`${proxy.url}${checkout}/pay`, { method: 'POST', headers, redirect: 'manual' })
  expect(paid.status).toBe(303)
  expect((await stub.developer.transaction(purchase.transactionId)).phase).toBe('awaiting-server')
  expect((await fetch(`${proxy.url}/health`)).status).toBe(200)
})

test('a stub that others can reach by its host keeps the control routes on the loopback', async () => {
  await using stub = await startStub({ host: '0.0.0.0' })
  expect(new URL(stub.developer.url).hostname).toBe('127.0.0.1')
  expect((await stub.request('GET', '/stub/clock')).status).toBe(404)
  expect((await stub.developer.request('GET', '/stub/clock')).status).toBe(200)
  expect((await stub.developer.request('GET', '/v1/api/transactions/1')).status).toBe(404)
})

test('a stub on the loopback has everything on one port', async () => {
  await using stub = await startStub()
  expect(stub.developer.url).toBe(stub.url)
  expect((await stub.request('GET', '/console/overview')).status).toBe(200)
})

test('the line `listening` says where the stub listens, where others see it, and where the control routes are', async () => {
  {
    await using stub = await serve('--memory', '--public-url', publicUrl, '--developer-port', '0')
    const { url, developerUrl } = stub.listening
    expect(stub.listening).toMatchObject({ publicUrl, console: `${developerUrl}/console` })
    expect((await new StubControl(url).request('GET', '/health')).status).toBe(200)
    expect((await new StubControl(developerUrl ?? '').request('GET', '/stub/clock')).status).toBe(200)
  }
  await using stub = await serve('--memory')
  expect(stub.listening).toMatchObject({ publicUrl: stub.listening.url, console: `${stub.listening.url}/console` })
  expect(stub.listening).not.toHaveProperty('developerUrl')
})

test('a developer port that is taken ends the start with 2 and names its option', async () => {
  await using other = await serve('--memory')
  const { port } = new URL(other.listening.url)
  const { code, stderr } = await run('serve', '--memory', '--port', '0', '--host', '0.0.0.0', '--developer-port', port)
  expect([code, stderr]).toEqual([2, `platform-stub: 127.0.0.1:${port} is in use; choose another --developer-port\n`])
})

test('provision asks the developer listener and tells the agent the address that game servers use', async () => {
  await using folder = await temporaryFolder()
  await using stub = await serveIn(folder.path, '--memory', '--public-url', publicUrl)
  const { developerUrl = '' } = stub.listening
  const { code, stderr } = await run('provision', '--url', developerUrl, '--name', 'a', '--out', folder.path)
  expect([code, stderr]).toEqual([0, ''])
  expect(await readFile(join(folder.path, 'agent.env'), 'utf8')).toContain(`SERVICE_BASE_URL=${publicUrl}\n`)
})
