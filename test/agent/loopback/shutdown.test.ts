import { expect, test } from 'vitest'
import type { AgentConfig } from '../../../agent/config/config.ts'
import { RawConnection, rawCall } from '../fixtures/raw-connection.ts'
import { ScriptedPlatform } from '../fixtures/scripted-platform.ts'
import { goodBodies, goodInputs, graceMs, startTestAgent, type TestAgent } from '../fixtures/test-agent.ts'

const purchase = ['transaction.create', goodInputs['transaction.create'], 'buy-1'] as const

/** A platform that received a purchase and answers it when the test says so. */
async function busyAgent(hangUp: boolean, settings: Partial<AgentConfig> = {}) {
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const platform = await ScriptedPlatform.start([
    { status: 200, body: goodBodies['transaction.create'] ?? '', after: released },
  ])
  const agent = await startTestAgent(platform.url, settings)
  const caller = await RawConnection.open(agent.url)
  caller.write(rawCall(...purchase))
  await platform.requests(1)
  if (hangUp) caller.hangUp()
  return {
    agent,
    caller,
    release,
    async [Symbol.asyncDispose]() {
      await agent[Symbol.asyncDispose]()
      await platform[Symbol.asyncDispose]()
    },
  }
}

const warningsOf = (agent: TestAgent) => agent.logLines().filter(({ level }) => level !== 'info')

for (const [what, hangUp] of [
  ['a call', false],
  ['a call whose caller hung up', true],
] as const) {
  test(`the agent stops only when ${what} is answered, and the call leaves its line`, async () => {
    await using busy = await busyAgent(hangUp)
    let isStopped = false
    const stopped = busy.agent.close().then(() => {
      isStopped = true
    })
    // The port is closed from now on; the call is still in flight.
    await expect(fetch(busy.agent.url)).rejects.toThrow()
    expect(isStopped).toBe(false)
    busy.release()
    await stopped
    expect(busy.agent.logLines().filter(({ msg }) => msg === 'call answered')).toMatchObject([
      { operation: 'transaction.create', id: 'buy-1', outcome: 'ok' },
    ])
  })
}

test('a call that takes longer than the time for shutdown is cut off and leaves a line', async () => {
  await using busy = await busyAgent(false, { attemptTimeoutMs: 2 * graceMs })
  const stopped = busy.agent.close()
  busy.agent.clock.advance(graceMs)
  await stopped
  await busy.caller.closed
  expect(warningsOf(busy.agent)).toMatchObject([
    { operation: 'transaction.create', id: 'buy-1', outcome: 'cut off', msg: expect.stringContaining('cut off') },
  ])
})

test('a stop says each second how many calls it waits for, and no more once they are answered', async () => {
  await using busy = await busyAgent(false)
  const waiting = () => busy.agent.logLines().filter(({ msg }) => msg === 'waiting for calls in flight')
  const stopped = busy.agent.close()
  // The port is closed from now on; the call is still in flight.
  await expect(fetch(busy.agent.url)).rejects.toThrow()
  expect(waiting()).toMatchObject([{ calls: 1 }])
  busy.agent.clock.advance(1_000)
  await expect.poll(waiting).toMatchObject([{ calls: 1 }, { calls: 1 }])
  busy.release()
  await stopped
  busy.agent.clock.advance(10_000)
  expect(waiting().length).toBe(2)
})

test('a clean stop logs no warning', async () => {
  await using busy = await busyAgent(false)
  const stopped = busy.agent.close()
  busy.release()
  await stopped
  expect(warningsOf(busy.agent)).toEqual([])
})
