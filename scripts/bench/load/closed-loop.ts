import { BareConnection } from './bare-connection.ts'

/** How many calls at a time, and for how long. */
export interface Pace {
  readonly inFlight: number
  readonly seconds: number
}

/** What one loop did. */
export interface LoopResult {
  readonly elapsedS: number
  /** One for each call, in the order of the answers. */
  readonly latenciesMs: readonly number[]
  /** CPU of the load generator. */
  readonly clientCpuS: number
}

/**
 * Keeps `inFlight` calls running: each answer starts the next call at once. Ends when the time is over, or when `call`
 * says false because it has nothing more to send, and every call is answered.
 *
 * @throws Whatever the first failing call threw.
 */
export async function closedLoop(pace: Pace, call: (lane: number) => Promise<boolean>): Promise<LoopResult> {
  const latenciesMs: number[] = []
  const cpuBefore = process.cpuUsage()
  const startMs = performance.now()
  const endMs = startMs + pace.seconds * 1_000
  const lanes = Array.from({ length: pace.inFlight }, async (_, lane) => {
    let beginMs = performance.now()
    while (beginMs < endMs && (await call(lane))) {
      const answeredMs = performance.now()
      latenciesMs.push(answeredMs - beginMs)
      beginMs = answeredMs
    }
  })
  await Promise.all(lanes)
  const { user, system } = process.cpuUsage(cpuBefore)
  return { elapsedS: (performance.now() - startMs) / 1_000, latenciesMs, clientCpuS: (user + system) / 1e6 }
}

/** A closed loop with a keep-alive connection of its own for each call in flight, opened before the time starts. */
export async function loopOverConnections(
  url: string,
  pace: Pace,
  ask: (connection: BareConnection) => Promise<boolean>,
): Promise<LoopResult> {
  const connections = await Promise.all(Array.from({ length: pace.inFlight }, () => BareConnection.open(url)))
  try {
    return await closedLoop(pace, (lane) => ask(connections[lane] as BareConnection))
  } finally {
    for (const connection of connections) connection.end()
  }
}
