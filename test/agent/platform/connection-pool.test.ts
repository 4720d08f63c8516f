import fc from 'fast-check'
import { expect, test } from 'vitest'
import { clockOver } from '../../../agent/clock/clock.ts'
import { AttemptHandler } from '../../../agent/platform/attempt-handler.ts'
import type { AttemptResult } from '../../../agent/platform/attempt-result.ts'
import { ConnectionPool, type OpenConnection } from '../../../agent/platform/connection-pool.ts'
import { TestClock } from '../fixtures/test-clock.ts'

/** How a platform treats connections, and how far away it is. Times in ms. */
interface Far {
  readonly oneWayMs: number
  /** After this time without a request it closes a connection that had one; and one that never had any. */
  readonly closesUsedMs: number
  readonly closesUnusedMs: number
}

/** A platform that is far away, and the pool of an agent, in virtual time. TCP and TLS take two round trips. */
class FarPlatform {
  readonly clock = new TestClock()
  readonly pool = new ConnectionPool<string>({ open: (onEnd) => this.#open(onEnd), clock: this.clock })
  opened = 0
  open = 0
  readonly #far: Far

  constructor(far: Far) {
    this.#far = far
  }

  /** Makes one call. @returns What came of it, and the round trips that it took. */
  async call(): Promise<AttemptResult & { readonly roundTrips: number }> {
    const { clock, pool } = this
    const startedMs = clock.monotonicMs()
    const { promise, resolve } = Promise.withResolvers<AttemptResult>()
    const handler = new AttemptHandler(resolve)
    handler.cancelTimer = clock.after(10_000, () => handler.giveUp(10_000))
    void pool.send('request', handler)
    const result = await this.untilDone(promise)
    return { ...result, roundTrips: (clock.monotonicMs() - startedMs) / (2 * this.#far.oneWayMs) }
  }

  async pause(ms: number): Promise<void> {
    await this.untilDone(new Promise<void>((resolve) => void this.clock.after(ms, resolve)))
  }

  /** Moves time from one timer to the next. */
  async untilDone<Result>(promise: Promise<Result>): Promise<Result> {
    let isDone = false
    void promise.finally(() => {
      isDone = true
    })
    await this.clock.nextTurn()
    while (!isDone) {
      this.clock.advance((this.clock.msToNextTimer ?? 1_000) + 0.01)
      await this.clock.nextTurn()
    }
    return promise
  }

  async #open(onEnd: () => void): Promise<OpenConnection<string>> {
    const { clock } = this
    const { oneWayMs, closesUsedMs, closesUnusedMs } = this.#far
    this.opened++
    await new Promise<void>((resolve) => void clock.after(4 * oneWayMs, resolve))
    this.open++
    let server: 'open' | 'closed' = 'open'
    let client: 'open' | 'closed' = 'open'
    let riding: AttemptHandler | undefined
    let cancelIdle: () => void = () => undefined

    const endClient = () => {
      if (client === 'closed') return
      client = 'closed'
      this.open--
      cancelIdle()
      riding?.onResponseError(undefined, new Error('reset'))
      onEnd()
    }
    const idleAtServer = (ms: number) => {
      cancelIdle()
      cancelIdle = clock.after(ms, () => {
        server = 'closed'
        clock.after(oneWayMs, endClient)
      })
    }
    idleAtServer(closesUnusedMs)
    return {
      get isOpen() {
        return client === 'open'
      },
      carry(_request, handler) {
        if (client === 'closed') return handler.onResponseError(undefined, new Error('ended'))
        riding = handler
        handler.onRequestStart({ abort: endClient } as never)
        clock.after(oneWayMs, () => {
          if (server === 'closed') return void clock.after(oneWayMs, endClient)
          idleAtServer(closesUsedMs)
          clock.after(oneWayMs, () => {
            if (client === 'closed') return
            riding = undefined
            handler.onResponseStart({} as never, 200, {})
            handler.onResponseEnd()
          })
        })
      },
      destroy: endClient,
    }
  }
}

/** The request leaves and is answered at once. */
function answer(handler: AttemptHandler): void {
  handler.onRequestStart({ abort: () => undefined } as never)
  handler.onResponseStart({} as never, 200, {})
  handler.onResponseEnd()
}

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN
}

for (const pauseMs of [0, 2_000, 20_000])
  test(`a lone call takes one round trip after a pause of ${pauseMs / 1_000} s`, async () => {
    const platform = new FarPlatform({ oneWayMs: 20, closesUsedMs: 75_000, closesUnusedMs: 60_000 })
    const roundTrips: number[] = []
    for (let n = 0; n < 50; n++) {
      roundTrips.push((await platform.call()).roundTrips)
      await platform.pause(pauseMs)
    }
    expect(median(roundTrips)).toBeLessThan(1.2)
  })

test('no request is lost, whenever a server closes idle connections', async () => {
  const idleMs = fc.constantFrom(500, 1_000, 2_000, 5_000, 15_000, 60_000, 300_000)
  const far = fc.record({ oneWayMs: fc.constantFrom(0.1, 10, 20, 75), closesUsedMs: idleMs, closesUnusedMs: idleMs })
  const pauses = fc.array(fc.oneof(fc.integer({ min: 0, max: 700 }), fc.integer({ min: 0, max: 25_000 })), {
    minLength: 30,
    maxLength: 80,
  })
  await fc.assert(
    fc.asyncProperty(far, pauses, async (world, pausesMs) => {
      const platform = new FarPlatform(world)
      for (const pauseMs of pausesMs) {
        await platform.pause(pauseMs)
        expect(await platform.call()).toMatchObject({ kind: 'answered' })
      }
    }),
    { numRuns: 60 },
  )
})

test('an agent that is not used for ten minutes holds no connection', async () => {
  const platform = new FarPlatform({ oneWayMs: 20, closesUsedMs: 3_600_000, closesUnusedMs: 3_600_000 })
  await platform.call()
  await platform.pause(599_000)
  expect(platform.open).toBeGreaterThan(0)
  await platform.pause(62_000)
  expect(platform.open).toBe(0)
  expect(platform.clock.timersRunning).toBe(0)
})

test('a platform that closes idle connections at once is not asked for new ones all the time', async () => {
  const platform = new FarPlatform({ oneWayMs: 20, closesUsedMs: 500, closesUnusedMs: 500 })
  await platform.call()
  await platform.pause(600_000)
  expect(platform.opened).toBeLessThan(30)
})

test('a few connections are opened in advance where the platform keeps them', async () => {
  const platform = new FarPlatform({ oneWayMs: 20, closesUsedMs: 75_000, closesUnusedMs: 75_000 })
  await platform.call()
  await platform.pause(600_000)
  expect(platform.opened).toBeLessThan(60)
})

test('a pause of the whole agent teaches nothing about what ended meanwhile', async () => {
  let nowMs = 0
  const timers: (() => void)[] = []
  const ends: (() => void)[] = []
  const carried: number[] = []
  const pool = new ConnectionPool<string>({
    clock: clockOver({
      wallMs: () => nowMs,
      monotonicMs: () => nowMs,
      nextTurn: async () => undefined,
      setTimer(_delayMs, fire) {
        timers.push(fire)
        return () => undefined
      },
    }),
    async open(onEnd) {
      const n = ends.push(onEnd)
      return {
        isOpen: true,
        destroy: () => undefined,
        carry(_request, handler) {
          carried.push(n)
          answer(handler)
        },
      }
    },
  })
  const call = () => new Promise((resolve) => void pool.send('request', new AttemptHandler(resolve)))
  await call()
  nowMs = 500
  timers.shift()?.()
  nowMs = 30_500
  timers.shift()?.()
  await new Promise((resolve) => void setImmediate(resolve))
  for (const end of ends.splice(0)) end()
  await call()
  nowMs = 33_500
  await call()
  expect(carried.at(-1)).not.toBe(carried.at(-2))
})

test('a connection that ended unnoticed is replaced by another one, because nothing was sent', async () => {
  const clock = new TestClock()
  const carried: number[] = []
  let opened = 0
  const pool = new ConnectionPool<string>({
    clock,
    async open() {
      const n = ++opened
      return {
        isOpen: true,
        carry(_request, handler) {
          carried.push(n)
          if (n === 1 && carried.length > 1) return handler.onResponseError(undefined, new Error('ended'))
          answer(handler)
        },
        destroy: () => undefined,
      }
    },
  })
  for (let n = 0; n < 2; n++) {
    const result = await new Promise<AttemptResult>((resolve) => void pool.send('request', new AttemptHandler(resolve)))
    expect(result).toMatchObject({ kind: 'answered' })
  }
  expect(carried).toEqual([1, 1, 2])
})

test('nothing is sent once the connections are closed', async () => {
  const platform = new FarPlatform({ oneWayMs: 20, closesUsedMs: 60_000, closesUnusedMs: 60_000 })
  await platform.call()
  platform.pool.close()
  expect(await platform.call()).toMatchObject({ kind: 'failed', wasSent: false, roundTrips: 0 })
  expect(platform.opened).toBe(1)
})
