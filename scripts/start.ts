/** `npm start`: a stub and an agent in the foreground, for a person with curl, until Ctrl-C. State stays in `.demo/`. */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { curlLine, shellWord } from '../platform-stub/pages/browser/curl-line.js'
import { startProgram } from './child-program.ts'
import { sourcePrograms } from './programs.ts'
import { sendWebhooksToAgent } from './webhook-url.ts'

const {
  folder,
  port,
  'agent-port': agentPort,
  'webhook-port': webhookPort,
  'forward-url': forwardUrl,
  'forward-token': forwardToken,
} = parseArgs({
  options: {
    folder: { type: 'string', default: join(import.meta.dirname, '..', '.demo') },
    port: { type: 'string', default: '8787' },
    'agent-port': { type: 'string', default: '8899' },
    'webhook-port': { type: 'string', default: '8898' },
    'forward-url': { type: 'string' },
    'forward-token': { type: 'string' },
  },
}).values
const spoolDir = resolve(folder, 'spool')
mkdirSync(folder, { recursive: true })
// Listened for first: a signal that comes while the programs start must end them too.
const ended = untilEnded()

await using stub = await startProgram({
  name: 'platform-stub',
  command: [...sourcePrograms.stub, 'serve', '--port', port, '--data-dir', join(folder, 'platform')],
  env: {},
  logFile: join(folder, 'platform-stub.log'),
})
const gameServerId = Number(/game server (\d+)/i.exec(provisioned())?.[1])
const agentLog = join(folder, 'market-agent.log')
await using agent = await startProgram({
  name: 'market-agent',
  command: [...sourcePrograms.agent, 'run', '--config', join(folder, 'agent.env')],
  // The stub may have another port than at the start that registered the game server.
  env: {
    SERVICE_BASE_URL: stub.url,
    SERVICE_WEBHOOK_PORT: webhookPort,
    ...(forwardUrl && { SERVICE_WEBHOOK_FORWARD_URL: forwardUrl }),
    ...(forwardToken && { SERVICE_WEBHOOK_FORWARD_TOKEN: forwardToken }),
  },
  logFile: agentLog,
})
await sendWebhooksToAgent(stub.url, gameServerId, agentLog)
await tellOfAgent()

const call = (body: object) => curlLine({ method: 'POST', url: `${agent.url}/call`, body: JSON.stringify(body) })
const character = `${stub.url}/stub/game-servers/${gameServerId}/characters/char-1`
const mayItSell = { operation: 'market.eligibility', input: { characterRef: 'char-1' } }
const itemRef = `offer-${Math.floor(Date.now() / 1_000)}`
const offer = {
  itemRef,
  gameItemId: 'sword-9',
  itemName: 'Espada +9',
  attributes: 'Ataque 120',
  quantityListed: 3,
  unitAmountCents: 1_050,
  sellerCharacterRef: 'char-1',
}
const purchase = { itemRef, quantity: 1, buyerCharacterRef: 'char-2' }
const spool = shellWord(relative(process.cwd(), spoolDir))
const ordersGo = forwardUrl ? `are posted to ${forwardUrl}` : `are files in ${join(spool, 'events')}`
console.log(`
platform-stub listens at ${stub.url}, market-agent at ${agent.url}. Logs are in ${folder}. Ctrl-C ends both.

See what happens, and make things happen, in a browser:
  ${stub.url}/console

Ask whether a character may sell:
  ${call(mayItSell)}

Let it sell. The player and the staff would do this at the platform:
  ${curlLine({ method: 'PUT', url: character, body: JSON.stringify({ linked: true, recipientApproved: true }) })}

List an item:
  ${call({ id: `register-${itemRef}`, operation: 'market.register', input: offer })}

Buy one. The answer has the address where the buyer pays:
  ${call({ id: `buy-${itemRef}`, operation: 'transaction.create', input: purchase })}

See the paid orders that wait for the game server. They ${ordersGo} too:
  ${call({ operation: 'orders.open', input: {} })}

The first question by files. Each request has an id of its own, and the rename shows the file only when it is whole:
  spool=${spool}; id=ask-$(date +%s)-$$
  printf '%s' '{"action":"market.eligibility","characterRef":"char-1"}' > "$spool/outbox/.$id.tmp" && mv "$spool/outbox/.$id.tmp" "$spool/outbox/$id.json"
  until [ -f "$spool/inbox/$id.json" ]; do sleep 0.1; done; cat "$spool/inbox/$id.json"; rm "$spool/inbox/$id.json"

All operations:
  ${curlLine({ method: 'GET', url: `${agent.url}/operations` })}
`)
await ended

/** What `provision` said, now or at an earlier start: a game server that is known keeps its number and its key. */
function provisioned(): string {
  const said = join(folder, 'provisioned.txt')
  if (!existsSync(said)) {
    const [node = '', ...stubArgs] = sourcePrograms.stub
    const directories = ['--spool-dir', spoolDir, '--state-dir', join(folder, 'state')]
    const agentFlags = ['--agent-port', agentPort, ...directories]
    const provision = ['provision', '--url', stub.url, '--name', 'my-game', ...agentFlags, '--out', folder]
    writeFileSync(said, execFileSync(node, [...stubArgs, ...provision], { encoding: 'utf8' }))
  }
  return readFileSync(said, 'utf8')
}

/** Tells the console's first sale which agent runs here. */
async function tellOfAgent(): Promise<void> {
  const response = await fetch(`${stub.url}/stub/agent`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ url: agent.url, spoolDir, ...(forwardUrl && { forwardUrl }) }),
  })
  if (!response.ok) throw new Error(`the stub refused the agent: ${await response.text()}`)
}

/**
 * Resolves at SIGTERM, SIGINT or SIGHUP, and when npm is gone: npm runs this program in a shell and passes a signal on
 * only to the shell.
 */
function untilEnded(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => resolve())
    if (process.env['npm_lifecycle_event'] !== 'start') return
    const atStart = ancestors()
    const watch = setInterval(() => {
      if (ancestors() === atStart) return
      clearInterval(watch)
      resolve()
    }, 250)
    watch.unref()
  })
}

/** The ids of the shell and of npm above it; only that of the shell where there is no /proc. */
function ancestors(): string {
  const status = `/proc/${process.ppid}/status`
  const npm = existsSync(status) ? /^PPid:\s*(\d+)/m.exec(readFileSync(status, 'utf8'))?.[1] : ''
  return `${process.ppid} ${npm}`
}
