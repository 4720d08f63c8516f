import { type AddressInfo, createServer, type Socket } from 'node:net'
import { expect, test } from 'vitest'
import type { PlatformConnection } from '../../../agent/platform/connection.ts'
import { connectToPlatform } from '../../../agent/platform/undici-connection.ts'
import { TestClock } from '../fixtures/test-clock.ts'

/** What is on its way arrives that much later. */
const halfRoundTripMs = 20

/**
 * A server over real sockets that ends its idle connections by the clock of the test. The end reaches the client later.
 * A request that arrives meanwhile is lost, as it is when the server is far away.
 */
async function startClosingServer(clock: TestClock, endsMs: number, isAnnounced: boolean) {
  const sockets = new Set<Socket>()
  let [lost, answered] = [0, 0]
  const hint = isAnnounced ? `keep-alive: timeout=${Math.ceil(endsMs / 1_000)}\r\n` : ''
  const server = createServer((socket) => {
    sockets.add(socket)
    let isEnding = false
    const endLater = () =>
      clock.after(endsMs, () => {
        isEnding = true
        clock.after(halfRoundTripMs, () => socket.end())
      })
    let cancelEnd = endLater()
    socket.on('close', () => {
      cancelEnd()
      sockets.delete(socket)
    })
    socket.on('error', () => socket.destroy())
    socket.on('data', () => {
      if (isEnding) {
        lost++
        socket.resetAndDestroy()
        return
      }
      cancelEnd()
      answered++
      socket.write(`HTTP/1.1 200 OK\r\n${hint}content-length: 0\r\n\r\n`)
      cancelEnd = endLater()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    sockets,
    get counts() {
      return { lost, answered }
    },
    [Symbol.dispose]() {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}

function connectTo(origin: string, clock: TestClock): PlatformConnection {
  const options = { extraCa: undefined, proxy: undefined, attemptTimeoutMs: 10_000, idle: 'kept' } as const
  return connectToPlatform({ origin, clock, ...options })
}

const request = { method: 'POST', path: '/', headers: [], body: Buffer.from('{}') } as const

/** Lets time pass from timer to timer, so that each has its effects at its own moment. */
async function travel(clock: TestClock, ms: number): Promise<void> {
  const endMs = clock.monotonicMs() + ms
  for (;;) {
    for (let turn = 0; turn < 5; turn++) await clock.nextTurn()
    const restMs = endMs - clock.monotonicMs()
    const toNextMs = clock.msToNextTimer ?? Number.POSITIVE_INFINITY
    clock.advance(Math.min(restMs, toNextMs))
    if (toNextMs >= restMs) return
  }
}

const cases = [500, 1_000, 2_000, 5_000, 15_000].flatMap((endsMs) =>
  [true, false].map((isAnnounced) => [endsMs, isAnnounced ? 'announced' : 'not announced'] as const),
)

test.each(cases)('no request is lost at a server that ends idle connections after %i ms, %s', async (endsMs, how) => {
  const clock = new TestClock()
  using server = await startClosingServer(clock, endsMs, how === 'announced')
  const connection = connectTo(server.origin, clock)
  const offsetsMs = [-1.5, -1, -0.5, 0, 0.5, 1, 1.5, 2].map((ways) => ways * halfRoundTripMs)
  const pausesMs = [0, endsMs / 4, endsMs / 3, endsMs / 2, 2 * endsMs, 0].concat(offsetsMs.map((ms) => endsMs + ms))
  for (const pauseMs of [...pausesMs, ...pausesMs.toReversed()]) {
    expect(await connection.send(request, { timeoutMs: 10_000 })).toMatchObject({ kind: 'answered' })
    await travel(clock, pauseMs)
  }
  expect(server.counts).toEqual({ lost: 0, answered: 2 * pausesMs.length })
  await connection.close()
})

test('ten minutes after the last request no connection is open', async () => {
  const clock = new TestClock()
  using server = await startClosingServer(clock, 65_000, false)
  const connection = connectTo(server.origin, clock)
  await connection.send(request, { timeoutMs: 10_000 })
  await travel(clock, 599_000)
  expect(server.sockets.size).toBe(1)
  await travel(clock, 2_000)
  await travel(clock, 0)
  expect([server.sockets.size, clock.timersRunning]).toEqual([0, 0])
  await connection.close()
})

test('a connection that the server has ended is never written to', async () => {
  const clock = new TestClock()
  using server = await startClosingServer(clock, 65_000, false)
  const connection = connectTo(server.origin, clock)
  for (let n = 0; n < 20; n++) {
    expect(await connection.send(request, { timeoutMs: 10_000 })).toMatchObject({ kind: 'answered' })
    for (const socket of server.sockets) socket.end()
    await travel(clock, 0)
  }
  expect(server.counts).toEqual({ lost: 0, answered: 20 })
  await connection.close()
})

test('a connection over which something comes that nobody asked for carries no request', async () => {
  const clock = new TestClock()
  using server = await startClosingServer(clock, 65_000, false)
  const connection = connectTo(server.origin, clock)
  await connection.send(request, { timeoutMs: 10_000 })
  await travel(clock, 0)
  for (const socket of server.sockets) socket.write('HTTP/1.1 408 Request Timeout\r\ncontent-length: 0\r\n\r\n')
  await travel(clock, 0)
  expect(await connection.send(request, { timeoutMs: 10_000 })).toMatchObject({ kind: 'answered', status: 200 })
  await connection.close()
})

test('closing ends connections that are still being opened', async () => {
  const clock = new TestClock()
  using server = await startClosingServer(clock, 65_000, false)
  const connection = connectTo(server.origin, clock)
  const sending = connection.send(request, { timeoutMs: 10_000 })
  await connection.close()
  expect(await sending).toMatchObject({ kind: 'failed', wasSent: false })
  expect(await connection.send(request, { timeoutMs: 10_000 })).toMatchObject({ kind: 'failed', wasSent: false })
})
