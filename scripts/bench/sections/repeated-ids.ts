import { randomUUID } from 'node:crypto'
import { atLeast, ratio } from '../goals.ts'
import { BareConnection, httpRequest } from '../load/bare-connection.ts'
import { loopOverConnections } from '../load/closed-loop.ts'
import { compareThroughput } from '../load/throughput.ts'
import { checkAnswer, endlessCalls } from '../platform/calls.ts'
import { ownProgram, startTestbed } from '../platform/testbed.ts'
import type { Section } from '../section.ts'

const agent = 'the agent'
const bare = 'bare node:http server, the same bytes'
const at = (inFlight: number) => `${inFlight} in flight`

/** Answers to an id that was answered before. */
export const repeatedIds: Section = {
  name: 'repeated-ids',
  title: 'Repeated ids',
  about:
    'One `market.adjust-stock` with an id, answered before and then repeated; the platform saw it once. The client sends' +
    ' ready bytes over bare sockets and compares every answer.',
  goals: [atLeast(0.3, 'answers at 8 in flight, agent / bare server', ratio('perS', [agent, at(8)], [bare, at(8)]))],
  async measure(settings) {
    await using testbed = await startTestbed()
    await using agentProgram = await testbed.start('agent', settings.agentCommand)
    const call = { id: randomUUID(), ...endlessCalls('stock').next().value }
    const request = httpRequest('POST', '/call', {}, JSON.stringify(call))
    const { expected } = await testbed.proveCalls(async () => {
      const first = await BareConnection.exchangeOnce(agentProgram.url, request)
      checkAnswer(call, JSON.parse(first.body))
      const repeated = await BareConnection.exchangeOnce(agentProgram.url, request)
      return { expected: repeated.body, answered: 1 }
    })
    await using bareServer = await testbed.start('bare-server', ownProgram('bare-server.ts'), {
      BENCH_ANSWER: expected,
    })
    return await compareThroughput({
      settings,
      contenders: [
        { ...agentProgram, name: agent },
        { ...bareServer, name: bare },
      ],
      loads: settings.inFlight.map((count) => ({ name: at(count), inFlight: count })),
      run: ({ url }, _, pace) =>
        loopOverConnections(url, pace, async (connection) => {
          const { status, body } = await connection.exchange(request)
          if (status !== 200 || body !== expected) throw new Error(`Not the expected answer: ${status} ${body}`)
          return true
        }),
      prove: async (slice) => {
        const { result } = await testbed.proveCalls(async () => ({ result: await slice(), answered: 0 }))
        return result
      },
    })
  },
}
