import { setTimeout as wait } from 'node:timers/promises'
import { compare } from '../compare.ts'
import { mediansOf } from '../figures.ts'
import { atMost, figure } from '../goals.ts'
import { cpuSecondsDuring, memoryMbOf } from '../machine/process-figures.ts'
import { startTestbed } from '../platform/testbed.ts'
import type { Section } from '../section.ts'
import { warmUpSpool } from '../spool/backlog.ts'
import { startSimpleWorker, startSpoolProgram } from '../spool/spool-program.ts'

const agent = 'the agent'
const emptyOutbox = 'empty outbox'
const idleS = 10
const roundsMax = 3
/** For what a request leaves to do: connections that close, memory that is collected. */
const settlingMs = 6_000

/** What the agent uses while nothing happens. */
export const idle: Section = {
  name: 'idle',
  title: 'The idle agent',
  about:
    'An empty outbox for 10 s; before it 200 requests of the agent and 8 of the simple worker, so that nothing is' +
    ' measured that happens once. CPU is counted in ticks of 10 ms, 0.1 % each. Memory is what is resident.',
  goals: [atMost(0.5, 'CPU of the idle agent, % of a core', figure('idlePercent', [agent, emptyOutbox]))],
  async measure({ agentCommand, rounds, progress }) {
    await using testbed = await startTestbed()
    await using agentProgram = await startSpoolProgram(agent, agentCommand, testbed)
    await using polling = await startSimpleWorker(testbed)
    await warmUpSpool(agentProgram, 200)
    await warmUpSpool(polling, 8)
    await wait(settlingMs)
    return await compare({
      contenders: [agentProgram, polling],
      loads: [{ name: emptyOutbox }],
      rounds: Math.min(rounds, roundsMax),
      turns: 1,
      progress,
      measure: async ({ pid }) => {
        const startMs = performance.now()
        const { cpuS } = await cpuSecondsDuring(pid, () => wait(idleS * 1_000))
        const elapsedS = (performance.now() - startMs) / 1_000
        return { idlePercent: (cpuS / elapsedS) * 100, memoryMb: memoryMbOf(pid) }
      },
      merge: mediansOf,
    })
  },
}
