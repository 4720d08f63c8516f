import { randomUUID } from 'node:crypto'
import { loopOverConnections } from '../bench/load/closed-loop.ts'
import { callRequest } from '../bench/platform/call-contender.ts'
import { checkAnswer, endlessCalls } from '../bench/platform/calls.ts'

/** Makes this many calls with new ids, eight at a time. @throws {Error} One was not answered as it should be. */
export async function makeCallsWithIds(url: string, count: number): Promise<void> {
  const calls = endlessCalls('stock').take(count)
  await loopOverConnections(url, { inFlight: 8, seconds: Number.POSITIVE_INFINITY }, async (connection) => {
    const { value: call } = calls.next()
    if (!call) return false
    const { body } = await connection.exchange(callRequest(call, randomUUID()))
    return checkAnswer(call, JSON.parse(body))
  })
}
