/** `npm start`: a stub and an agent in the foreground, for a person with curl, until Ctrl-C. State stays in `.demo/`. */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startProgram } from './child-program.ts'
import { sourcePrograms } from './programs.ts'

const dir = join(import.meta.dirname, '..', '.demo')
mkdirSync(dir, { recursive: true })

await using stub = await startProgram({
  name: 'platform-stub',
  command: [...sourcePrograms.stub, 'serve', '--data-dir', join(dir, 'platform')],
  env: {},
  logFile: join(dir, 'platform-stub.log'),
})
const gameServerId = /game server (\d+)/i.exec(provisioned())?.[1]
await using agent = await startProgram({
  name: 'market-agent',
  command: [...sourcePrograms.agent, 'run', '--config', join(dir, 'agent.env')],
  env: { SERVICE_STATE_DIR: join(dir, 'state'), SERVICE_SPOOL_DIR: join(dir, 'spool') },
  logFile: join(dir, 'market-agent.log'),
})

const json = "-H 'content-type: application/json'"
console.log(`
platform-stub listens at ${stub.url}, market-agent at ${agent.url}. Logs are in .demo/. Ctrl-C ends both.

See what happens, and make things happen, in a browser:
  ${stub.url}/console

Ask whether a character may sell:
  curl -s ${agent.url}/call ${json} -d '{"operation":"market.eligibility","input":{"characterRef":"char-1"}}'

Let it sell: what player and staff would do at the platform
  curl -s -X PUT ${stub.url}/stub/game-servers/${gameServerId}/characters/char-1 ${json} -d '{"linked":true,"recipientApproved":true}'

List an item:
  curl -s ${agent.url}/call ${json} -d '{"id":"r-1","operation":"market.register","input":{"itemRef":"offer-1","gameItemId":"sword-9","itemName":"Espada +9","attributes":"Ataque 120","quantityListed":3,"unitAmountCents":1050,"sellerCharacterRef":"char-1"}}'

The same by files:
  echo '{"action":"market.eligibility","characterRef":"char-1"}' > .demo/spool/outbox/first.json
  cat .demo/spool/inbox/first.json

All operations:
  curl -s ${agent.url}/operations
`)
await new Promise((resolve) => {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, resolve)
})

/** What `provision` said, now or at an earlier start: a game server that is known keeps its number and its key. */
function provisioned(): string {
  const said = join(dir, 'provisioned.txt')
  if (!existsSync(said)) {
    const [node = '', ...stubArgs] = sourcePrograms.stub
    const provision = ['provision', '--url', stub.url, '--name', 'my-game', '--out', dir]
    writeFileSync(said, execFileSync(node, [...stubArgs, ...provision], { encoding: 'utf8' }))
  }
  return readFileSync(said, 'utf8')
}
