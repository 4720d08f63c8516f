import { atLeast, atMost, difference, ratio } from '../goals.ts'
import { compareThroughput } from '../load/throughput.ts'
import { callLoadName, callLoads, throughProgram } from '../platform/call-contender.ts'
import { startTestbed } from '../platform/testbed.ts'
import type { Section } from '../section.ts'

const [withId, withoutId] = ['with a new id', 'without an id']
const works = { stock: '`market.adjust-stock`', once: '`market.register`, `once`' }
const loadAt = (inFlight: number) => callLoadName(works.stock, inFlight)

/** What an id costs: the journal stores the answer of each call that has one. */
export const newIds: Section = {
  name: 'new-ids',
  title: 'The cost of an id',
  about:
    'One agent, the same calls with and without an id, in turns. With an id the answer is in the journal before it is' +
    ' given; for a `once` call the intent is there before the call leaves too, and both are synced to disk. CPU is that' +
    ' of the agent.',
  goals: [
    ...[8, 32].map((inFlight) =>
      atLeast(
        0.9,
        `\`idempotent\` calls a second at ${inFlight} in flight, with a new id / without`,
        ratio('perS', [withId, loadAt(inFlight)], [withoutId, loadAt(inFlight)]),
      ),
    ),
    ...[1, 8, 32].map((inFlight) =>
      atMost(
        0.2,
        `CPU of the journal for each \`idempotent\` call at ${inFlight} in flight, S`,
        difference('cpuS', [withId, loadAt(inFlight)], [withoutId, loadAt(inFlight)]),
      ),
    ),
  ],
  async measure(settings) {
    await using testbed = await startTestbed()
    await using agent = await testbed.start('agent', settings.agentCommand)
    return await compareThroughput({
      settings,
      contenders: [throughProgram(withId, agent, { withIds: true }), throughProgram(withoutId, agent)],
      loads: callLoads(works, settings.inFlight),
      run: (contender, load, pace) => contender.run(load, pace),
      prove: testbed.proveCalls,
    })
  },
}
