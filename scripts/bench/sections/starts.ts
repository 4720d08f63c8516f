import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { startProgram } from '../../child-program.ts'
import { freePort } from '../../free-port.ts'
import { binaryPrograms } from '../../programs.ts'
import { makeCallsWithIds } from '../../soak/calls-with-ids.ts'
import { startTlsFront } from '../../tls-front.ts'
import { compare } from '../compare.ts'
import { type Cell, mediansOf } from '../figures.ts'
import { atMost, figure, ratio } from '../goals.ts'
import { BareConnection, httpRequest } from '../load/bare-connection.ts'
import { memoryMbOf } from '../machine/process-figures.ts'
import { callRequest } from '../platform/call-contender.ts'
import { ownProgram, startTestbed } from '../platform/testbed.ts'
import type { Section } from '../section.ts'
import { stubOn } from '../stub/contenders.ts'

const [agent, fullAgent, sidecar, stub] = ['agent', 'agent, 100,000 ids', 'simple sidecar', 'platform-stub']
const [http, https, afterCalls] = ['platform over http', 'platform over https', 'after 100,000 calls with ids']
const call = callRequest({ operation: 'market.eligibility', input: { characterRef: 'character-1001' } })

/** How long the programs take to their first answer, and how much memory they use then and later. */
export const starts: Section = {
  name: 'starts',
  title: 'Start and memory',
  about:
    'From the creation of the process to the answer of its first signed call, and the resident memory after it. The' +
    ' sidecar is the simple one of fastify, jose and fetch. The files are in the cache of the disk. Agent and stub are' +
    ' the executables that `npm run build` made; the agent is copied first, because Linux maps 20 MB more of a file' +
    ' that was just written in one piece. “100,000 ids”: they are in its journal.',
  goals: [
    atMost(0.55, 'start over http, agent / sidecar', ratio('startMs', [agent, http], [sidecar, http])),
    atMost(0.8, 'start over https, agent / sidecar', ratio('startMs', [agent, https], [sidecar, https])),
    atMost(1.1, 'start with 100,000 ids / without', ratio('startMs', [fullAgent, http], [agent, http])),
    atMost(1, 'memory at start, agent / sidecar', ratio('memoryMb', [agent, https], [sidecar, https])),
    atMost(0.7, `memory ${afterCalls}`, ratio('memoryMb', [fullAgent, afterCalls], [sidecar, afterCalls])),
    atMost(200, 'start of the stub to its first answer, ms', figure('startMs', [stub, http])),
  ],
  async measure({ rounds, progress }) {
    await using testbed = await startTestbed()
    const { dir, agentEnv } = testbed
    await using front = await startTlsFront(String(agentEnv['SERVICE_BASE_URL']))
    const installed = join(dir, agent)
    copyFileSync(String(binaryPrograms.agent[0]), installed)
    const empty = { name: agent, commandOn: () => [installed, 'run'], env: {}, request: call, status: 200 }
    const full = { ...empty, name: fullAgent, env: { SERVICE_STATE_DIR: join(dir, 'full') } }
    const simple = { ...empty, name: sidecar, commandOn: () => ownProgram('simple-sidecar.ts') }
    const read = { request: httpRequest('GET', '/v1/api/transactions/1', {}), status: 401 }
    const ownStub = { name: stub, commandOn: stubOn(join(dir, 'stub'), binaryPrograms.stub), env: {}, ...read }
    const cells: Cell[] = []
    for (const { name, commandOn, env } of [full, simple]) {
      progress(`${name} ${afterCalls}`)
      await using program = await testbed.start(name, commandOn(), env)
      await makeCallsWithIds(program.url, 100_000)
      cells.push({ round: 0, load: afterCalls, contender: name, figures: { memoryMb: memoryMbOf(program.pid) } })
    }
    const settings = { rounds, turns: 3, warmUp: true, progress, merge: mediansOf }
    const loads = Object.entries({ [http]: {}, [https]: front.env }).map(([name, way]) => ({ name, way }))
    const measure = async (one: typeof ownStub, { way }: (typeof loads)[number]) => {
      const port = await freePort()
      const [listensAt, logFile] = [`http://127.0.0.1:${port}`, join(dir, 'log')]
      const env = { ...agentEnv, ...one.env, ...way, SERVICE_AGENT_PORT: String(port) }
      const beginMs = performance.now()
      await using program = await startProgram({ ...one, command: one.commandOn(port), env, logFile, listensAt })
      const { status, body } = await BareConnection.exchangeOnce(listensAt, one.request)
      const startMs = performance.now() - beginMs
      if (status !== one.status || body.includes('"ok":false')) throw new Error(`${one.name}: ${body}`)
      return { startMs, memoryMb: memoryMbOf(program.pid) }
    }
    return [...cells, ...(await compare({ ...settings, contenders: [empty, full, simple, ownStub], loads, measure }))]
  },
}
