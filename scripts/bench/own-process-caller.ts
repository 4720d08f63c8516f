/**
 * A game server that needs no sidecar: it signs with jose and sends with fetch in its own process. It makes the load
 * itself, on order from the benchmark, because a hop to it is what it does without.
 */
import { closedLoop, type Load, type LoadOrder } from './closed-loop.ts'
import { credentialsFromEnvironment, platformClient } from './simple-sidecar.ts'
import { checkAnswer, endlessCalls } from './work.ts'

/** What it sends back for each order. */
export type LoadReport = { load: Load } | { failure: string }

if (import.meta.main) {
  const call = await platformClient(await credentialsFromEnvironment())
  process.on('message', async (order: LoadOrder) => {
    process.send?.(await carryOut(order).catch((error: unknown): LoadReport => ({ failure: String(error) })))
  })
  console.log(JSON.stringify({ msg: 'listening', url: 'none' }))

  async function carryOut(order: LoadOrder): Promise<LoadReport> {
    const calls = endlessCalls(order.work)
    const load = await closedLoop(order, async () => {
      const next = calls.next().value
      checkAnswer(next, await call(next.operation, next.input))
    })
    return { load }
  }
}
