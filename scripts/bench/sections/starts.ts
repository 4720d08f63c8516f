import { join } from 'node:path'
import { startProgram } from '../../child-program.ts'
import { binaryPrograms, sourcePrograms } from '../../programs.ts'
import { compare } from '../compare.ts'
import { mediansOf } from '../figures.ts'
import { atMost, figure } from '../goals.ts'
import { BareConnection, httpRequest } from '../load/bare-connection.ts'
import { freePort } from '../machine/free-port.ts'
import { memoryMbOf } from '../machine/process-figures.ts'
import { ownProgram, startTestbed } from '../platform/testbed.ts'
import type { Section } from '../section.ts'
import { prismOn, stubOn } from '../stub/contenders.ts'

const [start, stub] = ['cold start', 'platform-stub']

/** How long the programs take to their first answer, and how much memory they use then. */
export const starts: Section = {
  name: 'starts',
  title: 'Start and memory',
  about:
    'From the creation of the process to its first HTTP answer, and the resident memory after it. The files of the' +
    ' programs are in the cache of the disk. The agent and the stub are the executables that `npm run build` made.',
  goals: [atMost(200, 'start of the stub to its first answer, ms', figure('startMs', [stub, start]))],
  async measure({ rounds, progress }) {
    await using testbed = await startTestbed()
    const prism = prismOn(testbed.dir, sourcePrograms.stub, progress)
    const contenders = [
      { name: 'market-agent', commandOn: () => [...binaryPrograms.agent, 'run'] },
      { name: 'simple sidecar: fastify, jose, fetch', commandOn: () => ownProgram('simple-sidecar.ts') },
      { name: stub, commandOn: stubOn(join(testbed.dir, 'stub'), binaryPrograms.stub) },
      { name: 'Prism mock', commandOn: prism },
    ]
    return await compare({
      contenders,
      loads: [{ name: start }],
      rounds,
      turns: 3,
      warmUp: true,
      progress,
      measure: async ({ name, commandOn }) => {
        const port = await freePort()
        const [url, command] = [`http://127.0.0.1:${port}`, commandOn(port)]
        const env = { ...testbed.agentEnv, SERVICE_AGENT_PORT: String(port) }
        const beginMs = performance.now()
        await using program = await startProgram({
          name,
          command,
          env,
          logFile: join(testbed.dir, 'log'),
          listensAt: url,
        })
        await BareConnection.exchangeOnce(url, httpRequest('GET', '/v1/api/transactions/1', {}))
        return { startMs: performance.now() - beginMs, memoryMb: memoryMbOf(program.pid) }
      },
      merge: mediansOf,
    })
  },
}
