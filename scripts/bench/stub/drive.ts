import { BareConnection } from '../bare-connection.ts'

const patienceMs = 30_000

/** What a row of requests came to. */
export interface Driven {
  readonly elapsedS: number
  readonly latenciesMs: readonly number[]
}

/**
 * Sends each request once and waits for its answer, `inFlight` at a time, each place on a connection of its own.
 *
 * @throws {Error} An answer is not a 200 with a body, or none came within 30 s.
 */
export async function drive(url: string, requests: readonly Buffer[], inFlight: number): Promise<Driven> {
  const lines = await Promise.all(Array.from({ length: inFlight }, () => openLine(url)))
  const latenciesMs: number[] = []
  const queue = requests.values()
  const startMs = performance.now()
  try {
    await Promise.all(
      lines.map(async (line) => {
        for (const request of queue) {
          const beginMs = performance.now()
          await line.ask(request)
          latenciesMs.push(performance.now() - beginMs)
        }
      }),
    )
    return { elapsedS: (performance.now() - startMs) / 1_000, latenciesMs }
  } finally {
    for (const line of lines) line.close()
  }
}

/** One connection, one request at a time. */
export interface Line {
  readonly ask: (request: Buffer) => Promise<void>
  readonly close: () => void
}

/** @throws {Error} Nobody takes the connection. */
export async function openLine(url: string): Promise<Line> {
  const connection = await BareConnection.open(url, patienceMs)
  return {
    async ask(request) {
      const { status, body } = await connection.exchange(request)
      if (status !== 200 || body === '') throw new Error(`not a 200 with a body: ${status} ${body}`)
    },
    close: () => connection.end(),
  }
}
