import { atLeast, atMost, figure, ratio } from '../goals.ts'
import { compareThroughput } from '../load/throughput.ts'
import { callLoadName, callLoads, fromOwnProcess, throughProgram } from '../platform/call-contender.ts'
import { ownProgram, startTestbed } from '../platform/testbed.ts'
import type { Section } from '../section.ts'

const agent = 'the agent'
const sidecar = 'simple sidecar: fastify, jose, fetch'
const works = { mixed: 'stock and eligibility', once: 'registration, `once`' }
const loadAt = (inFlight: number) => callLoadName(works.mixed, inFlight)

/** Signed calls on three ways to one platform. */
export const signedCalls: Section = {
  name: 'signed-calls',
  title: 'Signed calls',
  about:
    'Calls without an id, answered by one platform that verifies every signature. The agent opens a connection for each' +
    ' `once` call, the others reuse theirs. CPU is that of the process that signs; the client is the load generator. The' +
    " caller's own process generates its load itself.",
  goals: [
    ...[8, 32].map((inFlight) =>
      atLeast(
        1.3,
        `calls a second at ${inFlight} in flight, agent / sidecar`,
        ratio('perS', [agent, loadAt(inFlight)], [sidecar, loadAt(inFlight)]),
      ),
    ),
    atMost(1.9, 'CPU of the agent for each call at 8 in flight, S', figure('cpuS', [agent, loadAt(8)])),
  ],
  async measure(settings) {
    await using testbed = await startTestbed()
    await using agentProgram = await testbed.start('agent', settings.agentCommand)
    await using sidecarProgram = await testbed.start('simple-sidecar', ownProgram('simple-sidecar.ts'))
    await using caller = await testbed.start('own-process-caller', ownProgram('own-process-caller.ts'))
    return await compareThroughput({
      settings,
      contenders: [
        throughProgram(agent, agentProgram),
        throughProgram(sidecar, sidecarProgram),
        fromOwnProcess("caller's own process: jose, fetch", caller),
      ],
      loads: callLoads(works, settings.inFlight),
      run: (contender, load, pace) => contender.run(load, pace),
      prove: testbed.proveCalls,
    })
  },
}
