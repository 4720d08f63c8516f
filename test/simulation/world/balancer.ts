import type { ModelHost, Program } from '../host.ts'
import type { Network } from '../network/network.ts'

/** Installs what gives each webhook to one of several agents: the next one, or the one after it if that has no port open. */
export function installBalancer(
  host: ModelHost,
  network: Network,
  address: string,
  agents: readonly string[],
): Program {
  let next = 0
  return host.install('balancer', (process) => {
    network.listen(process, address, async (request) => {
      for (const _ of agents) {
        const agent = agents[next++ % agents.length] ?? ''
        const exchange = await network.send(process, agent, request).ended
        if (exchange.kind === 'answered') return exchange.answer
        // It may have arrived, and only the platform may send it again.
        if (exchange.wasSent) return undefined
      }
      return { status: 502, headers: { 'content-type': 'text/html' }, body: Buffer.from('<html>Bad Gateway</html>') }
    })
  })
}
