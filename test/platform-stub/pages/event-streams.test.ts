import { expect, test } from 'vitest'
import { machineTime, type RealTime } from '../../../platform-stub/clock/real-time.ts'
import { stubLimits } from '../../../platform-stub/store/stub-limits.ts'
import { startStub } from '../fixtures/stub.ts'

test('HEAD on a stream of changes is answered and leaves nobody watching', async () => {
  const beats = countingBeats()
  await using stub = await startStub({ time: beats.time })
  const server = await stub.gameServer()
  const { checkoutUrl } = await stub.transaction(await server.purchase())
  const { data } = await server.call('character.link', { characterRef: 'c' })
  for (const url of [`${checkoutUrl}/changes`, `${data.url}/changes`, `${stub.url}/console/changes`]) {
    const { status, headers } = await fetch(url, { method: 'HEAD' })
    expect([status, headers.get('content-type')]).toEqual([200, 'text/event-stream'])
  }
  expect(beats.count()).toBe(0)

  const watching = new AbortController()
  const { body } = await fetch(`${checkoutUrl}/changes`, { signal: watching.signal })
  await body?.getReader().read()
  expect(beats.count()).toBe(1)
  watching.abort()
})

test('an address of no purchase and no link has no stream of changes', async () => {
  await using stub = await startStub()
  for (const path of ['/checkout/unknown/changes', '/portal/links/unknown/changes']) {
    expect((await stub.request('GET', path)).status).toBe(404)
  }
})

/** The machine's time, counting the timers of open streams that are set and not cancelled. */
function countingBeats(): { time: RealTime; count: () => number } {
  const waiting = new Set<symbol>()
  const time: RealTime = {
    ...machineTime,
    setTimer(delayMs, wake) {
      const timer = Symbol()
      if (delayMs === stubLimits.pageBeatMs) waiting.add(timer)
      const cancel = machineTime.setTimer(delayMs, wake)
      return () => {
        waiting.delete(timer)
        cancel()
      }
    },
  }
  return { time, count: () => waiting.size }
}
