import { randomUUID } from 'node:crypto'
import type { RunningProgram } from '../../child-program.ts'
import { httpRequest } from '../load/bare-connection.ts'
import { type LoopResult, loopOverConnections, type Pace } from '../load/closed-loop.ts'
import { checkAnswer, endlessCalls, type Work } from './calls.ts'

/** What to send, and how many at a time: one row of a table. */
export interface CallLoad {
  readonly name: string
  readonly work: Work
  readonly inFlight: number
}

/** Each of these works at each of these numbers of calls in flight. */
export function callLoads(titles: Partial<Record<Work, string>>, inFlight: readonly number[]): CallLoad[] {
  return Object.entries(titles).flatMap(([work, title]) =>
    inFlight.map((count) => ({ name: callLoadName(title, count), work: work as Work, inFlight: count })),
  )
}

/** The name of such a row. */
export const callLoadName = (title: string, inFlight: number): string => `${title}, ${inFlight} in flight`

/** A way to the platform. */
export interface CallContender {
  readonly name: string
  /** The process that signs. */
  readonly pid: number
  /** @throws {Error} A call was not answered as it should be. */
  readonly run: (load: CallLoad, pace: Pace) => Promise<LoopResult>
}

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
        const request = JSON.stringify(withIds ? { id: randomUUID(), ...call } : call)
        const { body } = await connection.exchange(httpRequest('POST', '/call', {}, request))
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
