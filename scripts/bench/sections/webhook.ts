import { join } from 'node:path'
import { freePort } from '../../free-port.ts'
import { atMost, ratio } from '../goals.ts'
import { loopOverConnections } from '../load/closed-loop.ts'
import { signedRequest } from '../load/signed-request.ts'
import { compareThroughput } from '../load/throughput.ts'
import { ownProgram, startTestbed } from '../platform/testbed.ts'
import type { Section } from '../section.ts'

const [bridge, receiver] = ['the agent, to a game server', 'receiver: fastify, jose']
const at = (inFlight: number) => `${inFlight} in flight`
const reply = '{"observedQuantity":3}'
const people = { buyerCharacterRef: 'buyer', sellerCharacterRef: 'seller' }
const order = { event: 'transfer_order', itemRef: 'item-1', quantity: 1, ...people }
/** Signed for each second of a load: what the fastest one answers. */
const webhooksPerS = 4_000

/** From the arrival of a webhook to its answer. */
export const webhook: Section = {
  name: 'webhook',
  title: 'A webhook',
  about:
    'From the arrival of a `transfer_order` to its answer. The agent verifies, syncs the order, posts it to a game server' +
    ' (bare node:http), syncs the reply and answers. The receiver verifies and answers by itself; the two rows after it' +
    ' also post to the game server, and sync a file before and after. So the rows show the shares: verify, hop, syncs.',
  goals: [1, 8].map((n) =>
    atMost(3, `p50 at ${at(n)}, agent / receiver`, ratio('p50Ms', [bridge, at(n)], [receiver, at(n)])),
  ),
  async measure(settings) {
    await using testbed = await startTestbed()
    await using gameServer = await testbed.start('game-server', ownProgram('bare-server.ts'), { BENCH_ANSWER: reply })
    const [own, port] = [ownProgram('simple-receiver.ts'), await freePort()]
    const bridgeEnv = { SERVICE_WEBHOOK_PORT: String(port), SERVICE_WEBHOOK_FORWARD_URL: gameServer.url }
    const [hop, syncs] = [{ BENCH_FORWARD_URL: gameServer.url }, { BENCH_SYNC_FILE: join(testbed.dir, 'synced') }]
    await using agent = await testbed.start(bridge, settings.agentCommand, bridgeEnv)
    await using alone = await testbed.start(receiver, own)
    await using withHop = await testbed.start('receiver with the hop', own, hop)
    await using withSyncs = await testbed.start('receiver with hop and two syncs', own, { ...hop, ...syncs })
    let sent = 0
    /** Few numbers, each with a later payment than before: every order is a new one, and the ledger stays small. */
    const sign = () => {
      const paidAt = new Date(Date.now() + sent).toISOString()
      const event = { ...order, transactionId: (sent++ % 1_000) + 1, paidAt }
      return signedRequest(testbed.signer, ['POST', '/webhook'], event)
    }
    return await compareThroughput({
      settings,
      contenders: [{ ...agent, url: `http://127.0.0.1:${port}` }, alone, withHop, withSyncs],
      loads: settings.inFlight.map((count) => ({ name: at(count), inFlight: count })),
      run: async ({ url }, _, pace) => {
        const count = Math.ceil(pace.seconds * webhooksPerS)
        const requests = (await Promise.all(Array.from({ length: count }, sign))).values()
        return await loopOverConnections(url, pace, async (connection) => {
          const request = requests.next().value
          if (!request) return false
          const answer = await connection.exchange(request)
          if (answer.status !== 200 || answer.body !== reply) throw new Error(`${answer.status} ${answer.body}`)
          return true
        })
      },
    })
  },
}
