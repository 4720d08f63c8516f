import { startPostgres } from '../../../test/agent/fixtures/postgres-server.ts'
import { atLeast, atMost, difference, ratio } from '../goals.ts'
import { callLoadName, compareCalls, throughProgram } from '../platform/call-contender.ts'
import { startTestbed } from '../platform/testbed.ts'
import type { Section } from '../section.ts'

const [inFile, inStore] = ['SQLite in the state directory', 'PostgreSQL on the same machine']
const works = { stock: '`market.adjust-stock`', once: '`market.register`, `once`' }
const at = (inFlight: number) => callLoadName(works.stock, inFlight)
const pair = (inFlight: number) =>
  [
    [inStore, at(inFlight)],
    [inFile, at(inFlight)],
  ] as const

/** What a store costs that agents share. */
export const store: Section = {
  name: 'store',
  title: 'A store that agents share',
  about:
    'Calls with a new id through two agents, in turns. One has its journal in its state directory, the other in a' +
    ' PostgreSQL that syncs to the same disk, over loopback. CPU is that of the agent.',
  goals: [
    atMost(3, `p50 of ${at(1)}, PostgreSQL less SQLite, ms`, difference('p50Ms', ...pair(1))),
    atLeast(0.5, `${at(8)}, PostgreSQL / SQLite`, ratio('perS', ...pair(8))),
  ],
  async measure(settings) {
    await using testbed = await startTestbed()
    await using server = await startPostgres({ settings: { fsync: 'on' } })
    await using file = await testbed.start('agent', settings.agentCommand)
    await using shared = await testbed.start('agent-with-store', settings.agentCommand, {
      SERVICE_STATE_DIR: `${testbed.dir}/state-with-store`,
      SERVICE_STORE_URL: `postgres://postgres@127.0.0.1:${server.port}/postgres`,
    })
    const contenders = [
      throughProgram(inFile, file, { withIds: true }),
      throughProgram(inStore, shared, { withIds: true }),
    ]
    return await compareCalls({ testbed, settings, contenders, works })
  },
}
