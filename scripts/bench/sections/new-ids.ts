import { atLeast, atMost, difference, ratio } from '../goals.ts'
import { callLoadName, compareCalls, throughProgram } from '../platform/call-contender.ts'
import { startTestbed } from '../platform/testbed.ts'
import type { Section } from '../section.ts'

const [withId, withoutId] = ['with a new id', 'without an id']
const works = { stock: '`market.adjust-stock`', once: '`market.register`, `once`' }
const at = (inFlight: number) => callLoadName(works.stock, inFlight)
const pair = (inFlight: number) =>
  [
    [withId, at(inFlight)],
    [withoutId, at(inFlight)],
  ] as const

/** What an id costs: the journal stores the answer of each call that has one. */
export const newIds: Section = {
  name: 'new-ids',
  title: 'The cost of an id',
  about:
    'One agent, the same calls with and without an id, in turns. With an id the answer is in the journal before it is' +
    ' given; for a `once` call the intent is there before the call leaves too, and both are synced to disk. CPU is that' +
    ' of the agent.',
  goals: [
    ...[8, 32].map((n) => atLeast(0.9, `${at(n)}, with an id / without`, ratio('perS', ...pair(n)))),
    ...[1, 8, 32].map((n) => atMost(0.2, `CPU of the journal, ${at(n)}, S`, difference('cpuS', ...pair(n)))),
  ],
  async measure(settings) {
    await using testbed = await startTestbed()
    await using agent = await testbed.start('agent', settings.agentCommand)
    const contenders = [throughProgram(withId, agent, { withIds: true }), throughProgram(withoutId, agent)]
    return await compareCalls({ testbed, settings, contenders, works })
  },
}
