import { setTimeout as wait } from 'node:timers/promises'
import { compare } from '../compare.ts'
import { mediansOf } from '../figures.ts'
import { atLeast, atMost, figure, ratio } from '../goals.ts'
import { startTestbed } from '../platform/testbed.ts'
import type { Section } from '../section.ts'
import { warmUpSpool } from '../spool/backlog.ts'
import { runLoneRequest } from '../spool/lone-request.ts'
import { endlessRequests } from '../spool/requests.ts'
import { simpleWorker, startSimpleWorker, startSpoolProgram } from '../spool/spool-program.ts'

const agent = 'the agent'
const lone = 'one request at a time'
const requestsPerS = 20
/** A wait of up to this makes every moment between two scans as likely as any other. */
const scanIntervalMs = 200

/** How long a lone request takes to be claimed, and to be answered. */
export const spoolPickup: Section = {
  name: 'spool-pickup',
  title: 'The spool: one lone request',
  about:
    'From the rename into the outbox to the claim and to the answer, at random moments, medians. Seen by file events in' +
    " the benchmark's own process, whose time to arrive is in the figures. The agent syncs to disk, the simple worker" +
    ' does not.',
  goals: [
    atLeast(100, 'time to the claim, simple worker / agent', ratio('claimMs', [simpleWorker, lone], [agent, lone])),
    atMost(10, 'time to the answer of the agent, ms', figure('answerMs', [agent, lone])),
  ],
  async measure({ agentCommand, rounds, secondsPerCell, progress }) {
    await using testbed = await startTestbed()
    await using agentProgram = await startSpoolProgram(agent, agentCommand, testbed)
    await using polling = await startSimpleWorker(testbed)
    progress('warming up')
    await warmUpSpool(agentProgram, 1_000)
    await warmUpSpool(polling, 16)
    const requests = endlessRequests()
    return await compare({
      contenders: [agentProgram, polling],
      loads: [{ name: lone }],
      rounds,
      turns: Math.ceil(secondsPerCell * requestsPerS),
      progress,
      measure: async (program) => {
        await wait(Math.random() * scanIntervalMs)
        return await runLoneRequest(program, requests.next().value)
      },
      merge: mediansOf,
    })
  },
}
