/**
 * `npm run test:nginx`: the webhook bridge behind nginx, with the configuration of docs/en/operations/webhook-proxy.md and a
 * certificate made by openssl. A stub sells through it over https; strangers are refused. Linux. Not part of `npm test`.
 */
import { ok as assert } from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect as connectTls } from 'node:tls'
import { startProgram } from '../../scripts/child-program.ts'
import { freePort } from '../../scripts/free-port.ts'
import { sourcePrograms } from '../../scripts/programs.ts'
import { until } from '../../scripts/until.ts'
import { answering, startReceiver } from '../platform-stub/fixtures/receiver.ts'

const dir = mkdtempSync(join(tmpdir(), 'market-agent-nginx-'))
process.once('exit', () => rmSync(dir, { recursive: true, force: true, maxRetries: 10 }))
const inDir = (name: string) => join(dir, name)
const [httpsPort, bridgePort] = [await freePort(), await freePort()]
const origin = `https://localhost:${httpsPort}`
process.env['PATH'] = `${process.env['PATH']}:/usr/sbin`

needNginx()
makeCertificate()
const ca = readFileSync(inDir('ca.pem'))

// A game server without any cryptography: it takes what the agent posts.
await using gameServer = await startReceiver(answering(200, { observedQuantity: 2 }))
const orders = () => gameServer.received.map(({ event }) => event)

await using stub = await startProgram({
  name: 'platform-stub',
  command: [...sourcePrograms.stub, 'serve', '--port', '0', '--memory'],
  env: { NODE_EXTRA_CA_CERTS: inDir('ca.pem') },
  logFile: inDir('stub.log'),
})
const [stubFile = '', ...stubArgs] = sourcePrograms.stub
const settings = ['--url', stub.url, '--name', 'nginx', '--webhook-url', `${origin}/webhook`, '--out', dir]
execFileSync(stubFile, [...stubArgs, 'provision', ...settings], { stdio: 'ignore' })
await using agent = await startProgram({
  name: 'market-agent',
  command: [...sourcePrograms.agent, 'run', '--config', inDir('agent.env')],
  env: {
    SERVICE_AGENT_PORT: '0',
    SERVICE_STATE_DIR: inDir('state'),
    SERVICE_WEBHOOK_PORT: String(bridgePort),
    SERVICE_WEBHOOK_FORWARD_URL: gameServer.url,
  },
  logFile: inDir('agent.log'),
})
await using _nginx = await startProgram({
  name: 'nginx',
  command: ['nginx', '-p', dir, '-c', writeConfiguration(), '-g', 'daemon off;'],
  env: {},
  logFile: inDir('nginx.log'),
  listensAt: `http://127.0.0.1:${httpsPort}`,
})

await check('an order arrives over https, is taken by the game server, and its stock is acknowledged', async () => {
  const transactionId = await sell('offer-1')
  await until(() => orders().some((order) => order.event === 'transfer_order' && order.transactionId === transactionId))
  await until(async () => (await attemptOf(transactionId, 'transfer_order'))?.responseStatus === 200)
  const attempt = await attemptOf(transactionId, 'transfer_order')
  assert(attempt?.responseBody === '{"observedQuantity":2}', `the stub got ${attempt?.responseBody}`)
  await call('transaction.delivery', { transactionId })
  await until(() => orders().some(({ outcome }) => outcome === 'CONCLUIDA'))
})
await check('another path is 404, another method 405 and an unsigned webhook 401', async () => {
  assert((await ask('POST', '/other', '{}')).status === 404)
  assert((await ask('GET', '/webhook')).status === 405)
  assert((await ask('POST', '/webhook', '{}')).status === 401)
})
await check('a large body is refused with 413, by nginx and by the bridge itself', async () => {
  const body = 'x'.repeat(65_537)
  assert((await ask('POST', '/webhook', body)).status === 413)
  const headers = { 'X-Platform-Signature': 'a..b' }
  assert((await fetch(`http://127.0.0.1:${bridgePort}/webhook`, { method: 'POST', body, headers })).status === 413)
})
await check('slow clients are cut, and orders keep their pace next to them', async () => {
  const slow = [
    '',
    'POST /webhook HTTP/1.1\r\nHost: x\r\n',
    'POST /webhook HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{',
  ]
  const closed = Array.from({ length: 30 }, (_, n) => closedAfterS(slow[n % 3] ?? ''))
  const startMs = performance.now()
  const transactionId = await sell('offer-2')
  await until(() => orders().some((order) => order.transactionId === transactionId))
  const soldMs = performance.now() - startMs
  const longestS = Math.max(...(await Promise.all(closed)))
  console.log(
    `   the order came ${(soldMs / 1_000).toFixed(1)} s after the sale began; slow clients were cut within ${longestS.toFixed(0)} s`,
  )
  assert(longestS < 20, `a slow client was served for ${longestS} s`)
})
await check('the agent found no fault with itself', async () => {
  const lines = readFileSync(inDir('agent.log'), 'utf8').split('\n')
  assert(!lines.some((line) => line.includes('"level":"error"')))
})
console.log('ok: the webhook bridge works behind nginx')
process.exit(0)

async function check(title: string, act: () => Promise<void>): Promise<void> {
  try {
    await act()
    console.log(`ok: ${title}`)
  } catch (error) {
    console.error(`not ok: ${title}\n${error}`)
    for (const name of ['agent.log', 'nginx.log', 'error.log'])
      console.error(readFileSync(inDir(name), 'utf8').slice(-2_000))
    process.exit(1)
  }
}

function needNginx(): void {
  try {
    execFileSync('nginx', ['-v'], { stdio: 'ignore' })
  } catch {
    if (process.env['CI']) throw new Error('nginx is not installed: apt-get install nginx-light')
    console.log('Installing nginx-light')
    execFileSync('apt-get', ['update', '-qq'])
    execFileSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', 'nginx-light'])
  }
}

/** A CA, and a certificate for localhost that it signed. */
function makeCertificate(): void {
  const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: dir, stdio: 'ignore' })
  const newKey = ['-newkey', 'rsa:2048', '-nodes']
  openssl('req', '-x509', ...newKey, '-keyout', 'ca-key.pem', '-out', 'ca.pem', '-days', '2', '-subj', '/CN=test CA')
  openssl('req', ...newKey, '-keyout', 'key.pem', '-out', 'request.pem', '-subj', '/CN=localhost')
  writeFileSync(inDir('names'), 'subjectAltName=DNS:localhost\n')
  const signedBy = ['-CA', 'ca.pem', '-CAkey', 'ca-key.pem', '-CAcreateserial', '-extfile', 'names']
  openssl('x509', '-req', '-in', 'request.pem', ...signedBy, '-days', '2', '-out', 'fullchain.pem')
}

/** The documented server, with this run's ports and files. */
function writeConfiguration(): string {
  const page = readFileSync(
    join(import.meta.dirname, '..', '..', 'docs', 'en', 'operations', 'webhook-proxy.md'),
    'utf8',
  )
  const [, documented = ''] = /```nginx\n([\s\S]*?)```/.exec(page) ?? []
  const server = documented
    .replace('listen 443', `listen 127.0.0.1:${httpsPort}`)
    .replace('127.0.0.1:8898', `127.0.0.1:${bridgePort}`)
    .replaceAll('/etc/ssl/game.example.com/', `${dir}/`)
    .replaceAll('game.example.com', 'localhost')
  const kinds = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  const temporary = kinds.map((kind) => `${kind}_temp_path ${inDir(kind)};`).join('\n')
  mkdirSync(inDir('client_body'))
  const http = `access_log off;\n${temporary}\n${server}`
  writeFileSync(
    inDir('nginx.conf'),
    `user root;\npid ${inDir('nginx.pid')};\nerror_log ${inDir('error.log')} warn;\nevents {}\nhttp {\n${http}}\n`,
  )
  return inDir('nginx.conf')
}

async function sell(itemRef: string): Promise<number> {
  const sellerCharacterRef = 'seller'
  await atStub('PUT', '/stub/game-servers/1/characters/seller', { linked: true, recipientApproved: true })
  const item = {
    gameItemId: 'sword',
    itemName: 'Espada',
    attributes: 'ataque 1',
    quantityListed: 3,
    unitAmountCents: 100,
  }
  await call('market.register', { ...item, itemRef, sellerCharacterRef })
  const { transactionId } = await call('transaction.create', { itemRef, quantity: 1, buyerCharacterRef: 'buyer' })
  await atStub('POST', `/stub/transactions/${transactionId}/pay`)
  return Number(transactionId)
}

async function call(operation: string, input: object): Promise<Record<string, unknown>> {
  const answer = await postJson(`${agent.url}/call`, 'POST', { operation, input })
  assert(answer['ok'] === true, `${operation}: ${JSON.stringify(answer)}`)
  return answer['data'] as Record<string, unknown>
}

function atStub(method: string, path: string, body?: object): Promise<Record<string, unknown>> {
  return postJson(`${stub.url}${path}`, method, body)
}

async function postJson(url: string, method: string, body?: object): Promise<Record<string, unknown>> {
  const response = await fetch(url, {
    method,
    ...(body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  })
  return (await response.json()) as Record<string, unknown>
}

interface SeenAttempt {
  readonly responseStatus: number | null
  readonly responseBody: string | null
}

async function attemptOf(transactionId: number, event: string): Promise<SeenAttempt | undefined> {
  const { data } = await atStub('GET', '/stub/webhooks')
  const all = data as { transactionId: number; event: string; attempts: SeenAttempt[] }[]
  return all.find((one) => one.transactionId === transactionId && one.event === event)?.attempts.at(-1)
}

/** What comes back over https. */
async function ask(method: string, path: string, body?: string): Promise<{ status: number | undefined }> {
  const outgoing = request(`${origin}${path}`, { method, ca, headers: body ? { 'content-length': body.length } : {} })
  outgoing.end(body)
  const [response] = await once(outgoing, 'response')
  response.resume()
  return { status: response.statusCode }
}

/** How long a client that goes no further is served. */
async function closedAfterS(text: string): Promise<number> {
  const startMs = performance.now()
  const socket = connectTls({ host: 'localhost', port: httpsPort, ca })
  socket.on('error', () => undefined)
  socket.resume()
  await once(socket, 'secureConnect')
  socket.write(text)
  await once(socket, 'close')
  return (performance.now() - startMs) / 1_000
}
