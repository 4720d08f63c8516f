import crypto from 'node:crypto'
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import net from 'node:net'
import timers from 'node:timers'
import timersPromises from 'node:timers/promises'

/** A program of the world used real time, real randomness, a real file or a real socket. */
export class OutsideError extends Error {
  override readonly name = 'OutsideError'
}

const timerNames = ['setTimeout', 'setInterval', 'setImmediate']

/** The ways out of the world, which the same seed could not repeat. */
const waysOut: readonly (readonly [owner: object, name: string, functions: readonly string[]])[] = [
  [globalThis, 'globalThis', [...timerNames, 'fetch']],
  [timers, 'timers', timerNames],
  [timersPromises, 'timers/promises', timerNames],
  [Date, 'Date', ['now']],
  [performance, 'performance', ['now']],
  [Math, 'Math', ['random']],
  [crypto, 'crypto', ['randomUUID', 'randomBytes', 'randomInt']],
  [fs, 'fs', Object.keys(fs).filter((name) => /^[a-z]\w*Sync$/.test(name) || name === 'open' || name === 'fsync')],
  [net.Server.prototype, 'net.Server', ['listen']],
  [net.Socket.prototype, 'net.Socket', ['connect']],
]

/** Whether an event of a world happens now. Between events the tool that runs the world has its turn. */
export const inWorld = { isNow: false }

/** The ways out while they are watched. */
export interface WatchedOutside extends Disposable {
  /** The first call that a program tried, whatever it made of the error. */
  readonly firstTry: OutsideError | undefined
}

/** Closes every way out to the programs of a world: a call of one throws an error that names it. */
export function watchOutside(): WatchedOutside {
  let firstTry: OutsideError | undefined
  const refuse = (what: string): never => {
    const error = new OutsideError(`a program called ${what}: it must be a port`)
    firstTry ??= error
    throw error
  }
  const opened = waysOut.flatMap(([owner, name, functions]) =>
    functions.map((key) => watch(owner, key, () => refuse(`${name}.${key}`))),
  )
  const RealDate = Date
  globalThis.Date = watchedDate(() => refuse('new Date()'))
  syncBuiltinESMExports()
  return {
    get firstTry() {
      return firstTry
    },
    [Symbol.dispose]() {
      for (const reopen of opened) reopen()
      globalThis.Date = RealDate
      syncBuiltinESMExports()
    },
  }
}

function watch(owner: object, key: string, refuse: () => never): () => void {
  const before = Object.getOwnPropertyDescriptor(owner, key)
  const original = Reflect.get(owner, key) as (...args: unknown[]) => unknown
  const watched = Object.assign(function (this: unknown, ...args: unknown[]): unknown {
    return inWorld.isNow ? refuse() : original.apply(this, args)
  }, original)
  Object.defineProperty(owner, key, { configurable: true, writable: true, enumerable: true, value: watched })
  return () => {
    if (before) Object.defineProperty(owner, key, before)
    else Reflect.deleteProperty(owner, key)
  }
}

/** `Date` that needs a moment. */
function watchedDate(refuse: () => never): DateConstructor {
  return new Proxy(Date, {
    construct: (target, values, newTarget) =>
      values.length === 0 && inWorld.isNow ? refuse() : (Reflect.construct(target, values, newTarget) as Date),
  })
}
