import pino from 'pino'
import { expect, test } from 'vitest'
import { startAgent } from '../../../agent/agent.ts'
import { clockOver } from '../../../agent/clock/clock.ts'
import { signatureHeaderName } from '../../../contract/envelope/protected-header.ts'
import { order } from '../../agent/fixtures/events.ts'
import { goodReply } from '../../agent/fixtures/fake-platform.ts'
import { testKeysOf } from '../../vectors/test-keys.ts'
import { modelFs } from '../disk/model-fs.ts'
import { ModelHost } from '../host.ts'
import { Network } from '../network/network.ts'
import type { ModelProcess } from '../process.ts'
import { BrokenPromise, runSeed, type Simulation } from '../simulation.ts'
import { fixedConfig } from './agent-config.ts'
import { modelOutside, newAgentState, signingIn } from './model-outside.ts'

const { privateKey } = testKeysOf('game-server')
const log = pino({ enabled: false })

/** What the game server and the platform have seen. */
interface Seen {
  calls: string[]
  delivered: string[]
  webhooks: number[]
}

/** An agent, a platform that says yes, and a game server that calls over HTTP, calls by a file, and gets one order. */
function agentWorld(seen: Seen): Simulation<object> {
  return {
    table: [],
    stormMs: 0,
    quietMsMax: 60_000,
    assemble({ scheduler, random }) {
      const network = new Network(random)
      const [host, far] = [new ModelHost('host', scheduler, random), new ModelHost('far', scheduler, random)]
      const state = newAgentState(host)
      const fail = (error: Error) => {
        throw error
      }
      const programs = [
        far.install('platform', (process) => {
          network.listen(process, 'platform:9000', async ({ method, path, body }) => {
            const text = Buffer.from(body).toString()
            if (path.endsWith('/delivery')) seen.delivered.push(path)
            const reply = goodReply({ method, path, body: text, jti: '' })
            const headers = { date: new Date(process.time.wallMs()).toUTCString() }
            return { status: reply.status, headers, body: Buffer.from(reply.body ?? '') }
          })
          void postOrder(process, network, seen)
        }),
        host.install('agent', (process) => {
          void startAgent(fixedConfig(), log, fail, modelOutside({ host, process, network, state })).catch(fail)
        }),
        host.install('game server', (process) => void playGame(process, host, network, seen)),
      ]
      for (const program of programs) program.start()
      return {
        targets: {},
        checkSafety: () => undefined,
        heal: () => undefined,
        isQuiet: () => seen.calls.length === 2 && seen.delivered.length === 1 && seen.webhooks.includes(200),
        checkLiveness() {
          if (seen.calls.length < 2 || seen.delivered.length < 1) throw new BrokenPromise('everything is answered')
        },
      }
    },
  }
}

/** Sends one webhook as the platform does, until it is answered with 200. */
async function postOrder(process: ModelProcess, network: Network, seen: Seen): Promise<void> {
  const clock = clockOver(process.time)
  const body = Buffer.from(JSON.stringify(order))
  for (let n = 1; seen.webhooks.at(-1) !== 200; n++) {
    await clock.sleep(1_000)
    const iat = Math.floor(clock.wallMs() / 1_000)
    const header = { alg: 'RS256' as const, kid: 'platform-1', jti: `webhook-${n}`, iat, exp: iat + 300 }
    const signature = await signingIn(process).seal(header, body, privateKey)
    const headers = ['content-type', 'application/json', signatureHeaderName, signature]
    const { ended } = network.send(process, 'agent:8081', { method: 'POST', path: '/webhook', headers, body })
    const exchange = await ended
    seen.webhooks.push(exchange.kind === 'answered' ? exchange.answer.status : 0)
  }
}

/** Calls over HTTP and by a file, then replies to each order. */
async function playGame(process: ModelProcess, host: ModelHost, network: Network, seen: Seen): Promise<void> {
  const clock = clockOver(process.time)
  const fs = modelFs(host.disk, host.diskFaults, process)
  await clock.sleep(500)
  const body = Buffer.from('{"operation":"market.eligibility","input":{"characterRef":"Ana"}}')
  const headers = ['content-type', 'application/json', 'host', 'localhost']
  const exchange = await network.send(process, 'agent:8080', { method: 'POST', path: '/call', headers, body }).ended
  seen.calls.push(exchange.kind === 'answered' ? Buffer.from(exchange.answer.body).toString() : exchange.cause.message)
  fs.writeFileSync('/var/spool/outbox/.new', '{"action":"market.eligibility","characterRef":"Bia"}')
  fs.renameSync('/var/spool/outbox/.new', '/var/spool/outbox/by-file.json')
  for (;;) {
    await clock.sleep(300)
    for (const name of fs.readdirSync('/var/spool/inbox')) {
      seen.calls.push(fs.readFileSync(`/var/spool/inbox/${name}`, 'utf8'))
      fs.unlinkSync(`/var/spool/inbox/${name}`)
    }
    for (const name of fs.readdirSync('/var/spool/events')) {
      if (name.startsWith('.')) continue
      fs.writeFileSync('/var/spool/replies/.new', '{"observedQuantity":5,"result":"DELIVERED"}')
      fs.renameSync('/var/spool/replies/.new', `/var/spool/replies/${name}`)
    }
  }
}

async function runAgent(seed: string) {
  const seen: Seen = { calls: [], delivered: [], webhooks: [] }
  const run = await runSeed(agentWorld(seen), seed, { keepsLines: true })
  return { seen, run }
}

test('the whole agent runs in one process, and reaches nothing outside its world', async () => {
  const { seen, run } = await runAgent('1')
  expect(run.violation).toBeUndefined()
  expect(seen.calls.map((text) => JSON.parse(text).ok)).toEqual([true, true])
  expect(seen.webhooks.at(-1)).toBe(200)
  expect(seen.delivered).toEqual(['/v1/api/transactions/17/delivery'])
})

test('the same seed gives the same run of the whole agent, and another seed another one', async () => {
  const { run } = await runAgent('1')
  expect((await runAgent('1')).run.hash).toBe(run.hash)
  expect((await runAgent('2')).run.hash).not.toBe(run.hash)
})
