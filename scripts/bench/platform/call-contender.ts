import { randomUUID } from 'node:crypto'
import type { RunningProgram } from '../../child-program.ts'
import type { Cell } from '../figures.ts'
import { httpRequest } from '../load/bare-connection.ts'
import { type LoopResult, loopOverConnections, type Pace } from '../load/closed-loop.ts'
import { compareThroughput } from '../load/throughput.ts'
import type { BenchSettings } from '../section.ts'
import { type Call, checkAnswer, endlessCalls, type Work } from './calls.ts'
import type { Testbed } from './testbed.ts'

/** What to send, and how many at a time: one row of a table. */
interface CallLoad {
  readonly name: string
  readonly work: Work
  readonly inFlight: number
}

/** The name of such a row. */
export const callLoadName = (title: string, inFlight: number): string => `${title}, ${inFlight} in flight`

/** A way to the platform. */
interface CallContender {
  readonly name: string
  /** The process that signs. */
  readonly pid: number
  /** @throws {Error} A call was not answered as it should be. */
  readonly run: (load: CallLoad, pace: Pace) => Promise<LoopResult>
}

/** What is compared, with the title of each work. */
interface CallComparison {
  readonly testbed: Testbed
  readonly settings: BenchSettings
  readonly contenders: readonly CallContender[]
  readonly works: Partial<Record<Work, string>>
}

/** Compares contenders that send the same works, at each number of calls in flight. */
export function compareCalls({ testbed, settings, contenders, works }: CallComparison): Promise<Cell[]> {
  const loads = Object.entries(works).flatMap(([work, title]) =>
    settings.inFlight.map((count) => ({ name: callLoadName(title, count), work: work as Work, inFlight: count })),
  )
  const run = (contender: CallContender, load: CallLoad, pace: Pace) => contender.run(load, pace)
  return compareThroughput({ settings, contenders, loads, run, prove: testbed.proveCalls })
}

/** The request of a call. */
export const callRequest = (call: Call, id?: string): Buffer =>
  httpRequest('POST', '/call', {}, JSON.stringify({ id, ...call }))

/** A program that answers POST /call. */
export function throughProgram(
  name: string,
  { pid, url }: RunningProgram,
  { withIds = false }: { readonly withIds?: boolean } = {},
): CallContender {
  return {
    name,
    pid,
    run: ({ work }, pace) => {
      const calls = endlessCalls(work)
      return loopOverConnections(url, pace, async (connection) => {
        const call = calls.next().value
        const { body } = await connection.exchange(callRequest(call, withIds ? randomUUID() : undefined))
        return checkAnswer(call, JSON.parse(body))
      })
    },
  }
}

/** A caller that signs in its own process. */
export function fromOwnProcess(name: string, { pid, url }: RunningProgram): CallContender {
  return {
    name,
    pid,
    run: async ({ work }, pace) => {
      const response = await fetch(url, { method: 'POST', body: JSON.stringify({ work, ...pace }) })
      // The caller is what is measured, not the client.
      return { ...((await response.json()) as LoopResult), clientCpuS: Number.NaN }
    },
  }
}
