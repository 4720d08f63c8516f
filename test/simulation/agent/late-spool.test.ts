import pino from 'pino'
import { expect, test } from 'vitest'
import { startAgent } from '../../../agent/agent.ts'
import { clockOver } from '../../../agent/clock/clock.ts'
import { goodReply } from '../../agent/fixtures/fake-platform.ts'
import { goodInputs } from '../../agent/fixtures/test-agent.ts'
import { modelFs } from '../disk/model-fs.ts'
import { ModelHost } from '../host.ts'
import { Network } from '../network/network.ts'
import { worldActor } from '../scheduler.ts'
import { runSeed, type Simulation } from '../simulation.ts'
import { fixedConfig } from './agent-config.ts'
import { modelOutside, newAgentState } from './model-outside.ts'

const log = pino({ enabled: false })
const minuteMs = 60_000
const full = { calls: ['create', 'write', 'mkdir'], codes: ['ENOSPC'], rate: 1, paths: /^\/var\/spool/ }
const operator = worldActor('operator')

interface Seen {
  purchases: number
  answers: string[]
}

/**
 * A file asks for a purchase. The spool's disk is full before its answer is published, the agent is killed, and the disk has
 * room again after 12 minutes.
 */
function fullSpool(seen: Seen): Simulation<object> {
  return {
    table: [],
    stormMs: 15 * minuteMs,
    quietMsMax: minuteMs,
    assemble({ scheduler, random }) {
      const network = new Network(random)
      const [host, far] = [new ModelHost('host', scheduler, random), new ModelHost('far', scheduler, random)]
      const state = newAgentState(host)
      let makeRoom = () => undefined as unknown
      const platform = far.install('platform', (process) => {
        network.listen(process, 'platform:9000', async ({ method, path, body }) => {
          if (method === 'POST' && path.endsWith('/transactions')) {
            if (seen.purchases === 0) makeRoom = host.diskFaults.add(full, random)
            seen.purchases++
          }
          const reply = goodReply({ method, path, body: Buffer.from(body).toString(), jti: '' })
          const headers = { date: new Date(process.time.wallMs()).toUTCString() }
          return { status: reply.status, headers, body: Buffer.from(reply.body ?? '') }
        })
      })
      const agent = host.install('agent', (process) => {
        const fail = (error: Error) => {
          if (process.state !== 'dead') throw error
        }
        void startAgent(fixedConfig(), log, fail, modelOutside({ host, process, network, state })).catch(fail)
      })
      const game = host.install('game', (process) => {
        const fs = modelFs(host.disk, host.diskFaults, process)
        clockOver(process.time).after(500, () => {
          const request = { action: 'transaction.create', ...goodInputs['transaction.create'] }
          fs.writeFileSync('/var/spool/outbox/.buy', JSON.stringify(request))
          fs.renameSync('/var/spool/outbox/.buy', '/var/spool/outbox/buy.json')
        })
      })
      for (const program of [platform, agent, game]) program.start()
      scheduler.after(10_000, operator, 'the agent is killed', () => {
        agent.process?.end()
        agent.start()
      })
      scheduler.after(12 * minuteMs, operator, 'the disk has room', () => makeRoom())
      return {
        targets: {},
        checkSafety: () => undefined,
        heal: () => undefined,
        isQuiet: () => true,
        checkLiveness() {
          for (const name of host.disk.namesIn('/var/spool/inbox'))
            seen.answers.push(host.disk.textOf(`/var/spool/inbox/${name}`))
        },
      }
    },
  }
}

test('a purchase that was answered is not made again by a spool that starts after the window of its id', async () => {
  const seen: Seen = { purchases: 0, answers: [] }
  const { violation } = await runSeed(fullSpool(seen), '1')
  expect(violation).toBeUndefined()
  expect(seen.purchases).toBe(1)
  expect(seen.answers.map((answer) => JSON.parse(answer))).toEqual([expect.objectContaining({ ok: true })])
})
