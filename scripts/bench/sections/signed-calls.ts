import { atLeast, atMost, figure, ratio } from '../goals.ts'
import { callLoadName, compareCalls, fromOwnProcess, throughProgram } from '../platform/call-contender.ts'
import { ownProgram, startTestbed } from '../platform/testbed.ts'
import type { Section } from '../section.ts'

const agent = 'the agent'
const sidecar = 'simple sidecar: fastify, jose, fetch'
const works = { mixed: 'stock and eligibility', once: 'registration, `once`' }
const at = (inFlight: number) => callLoadName(works.mixed, inFlight)

/** Signed calls on three ways to one platform. */
export const signedCalls: Section = {
  name: 'signed-calls',
  title: 'Signed calls',
  about:
    'Calls without an id, answered by one platform that verifies every signature. CPU is that of the process' +
    " that signs; the client is the load generator. The caller's own process generates its load itself.",
  goals: [
    atLeast(1.3, 'calls at 8 in flight, agent / sidecar', ratio('perS', [agent, at(8)], [sidecar, at(8)])),
    atLeast(1.3, 'calls at 32 in flight, agent / sidecar', ratio('perS', [agent, at(32)], [sidecar, at(32)])),
    atMost(1.9, 'CPU of the agent for each call at 8 in flight, S', figure('cpuS', [agent, at(8)])),
  ],
  async measure(settings) {
    await using testbed = await startTestbed()
    await using agentProgram = await testbed.start('agent', settings.agentCommand)
    await using sidecarProgram = await testbed.start('simple-sidecar', ownProgram('simple-sidecar.ts'))
    await using caller = await testbed.start('own-process-caller', ownProgram('own-process-caller.ts'))
    const contenders = [
      throughProgram(agent, agentProgram),
      throughProgram(sidecar, sidecarProgram),
      fromOwnProcess("caller's own process: jose, fetch", caller),
    ]
    return await compareCalls({ testbed, settings, contenders, works })
  },
}
