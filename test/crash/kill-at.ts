import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import net from 'node:net'
import sqlite from 'node:sqlite'

/**
 * Preloaded into an agent (`node --import`): counts its storage and socket calls, and at the n-th kills the process, or
 * makes the call fail. Only files below `CRASH_ROOT` count, so that loading the program does not.
 *
 * SQLite's own system calls cannot be seen from JavaScript: the process is killed before and after each statement.
 */

const root = process.env['CRASH_ROOT'] ?? '/nowhere'
/** 0 counts only. */
const at = Number(process.env['CRASH_AT'] ?? 0)
const fault = process.env['CRASH_FAULT'] ?? 'kill'
const isLasting = process.env['CRASH_LASTING'] === '1'
const reportFile = process.env['CRASH_REPORT'] ?? ''

type AnyFunction = (this: unknown, ...args: never[]) => unknown
type Methods = Record<string, AnyFunction>

const { writeFileSync } = fs
const points: string[] = []

/** What only looks leaves the disk as it is: to be killed before it is to be killed before the next change. */
const looksOnly = /^(?:stat|lstat|realpath|readdir|opendir|read|readFile|open|get|all)$/

/** Calls that can give an error, by their name without module, `Sync` and callback. */
const canFail: Readonly<Record<string, RegExp>> = {
  EIO: /./,
  ENOSPC: /^(?:open for writing|write|writeFile|rename|link|mkdir|sync|fsync|exec|run)$/,
  EMFILE: /^(?:open|open for writing|opendir|readFile|writeFile|connect)$/,
}

/** Counts one call. @returns The error that it must fail with, if any. */
function point(call: string, where: string): NodeJS.ErrnoException | undefined {
  if (fault === 'kill' ? looksOnly.test(call) : !canFail[fault]?.test(call)) return undefined
  const name = `${call} ${where}`
  // One write of the ballast is like another.
  if (where.startsWith('ballast') && points.at(-1) === name) return undefined
  points.push(name)
  const isDue = isLasting ? at > 0 && points.length >= at : points.length === at
  if (!isDue) return undefined
  if (points.length === at) writeFileSync(reportFile, JSON.stringify({ reached: points.at(-1) }))
  if (fault === 'kill') {
    process.kill(process.pid, 'SIGKILL')
    for (;;);
  }
  return Object.assign(new Error(`${fault}: injected, ${call}`), { code: fault, syscall: call })
}

process.on('exit', () => {
  if (at === 0) writeFileSync(reportFile, JSON.stringify({ points }))
})

/** What a path stands for; undefined for a file that is none of the agent's. */
function placeOf(path: unknown): string | undefined {
  if (typeof path !== 'string' || !path.startsWith(`${root}/`)) return undefined
  const name = path.slice(path.lastIndexOf('/') + 1)
  const folder = path.slice(root.length + 1, path.lastIndexOf('/')).replace('spool/', '')
  const kinds: [RegExp, string][] = [
    [/\.claim-/, 'claim'],
    [/\.done$/, 'done'],
    [/\.tmp$|^agent\.json\.\d/, 'temporary'],
    [/\.json\.(?:unread|rejected)/, 'set aside'],
    [/^(?:outbox|inbox|spool|state)$/, name],
    [/^(?:agent\.json|owner|journal|ballast)/, name],
    [/\.json$/, 'request or answer'],
  ]
  const kind = kinds.find(([pattern]) => pattern.test(name))?.[1] ?? 'probe'
  return folder === '' || kind === name ? kind : `${kind} in ${folder}`
}

// Files

const descriptors = new Map<number, string>()
const handles = new WeakMap<object, string>()

const bare = (name: string) => name.replace(/Sync$/, '').replace(/^f(?=stat$|sync$)/, '')
const isForWriting = (flags: unknown) => typeof flags === 'string' && flags !== 'r'

function callOf(name: string, args: readonly unknown[]): { call: string; where: string } | undefined {
  const [first, second] = args
  const where = typeof first === 'number' ? descriptors.get(first) : (placeOf(first) ?? placeOf(second))
  if (where === undefined) return undefined
  const call = bare(name)
  return { call: call === 'open' && isForWriting(second) ? 'open for writing' : call, where }
}

const byPath = ['open', 'opendir', 'rename', 'unlink', 'link', 'mkdir', 'rm', 'readFile', 'writeFile']
const looking = ['stat', 'lstat', 'realpath', 'chmod', 'chown', 'readdir']
const byDescriptor = ['write', 'read', 'fsync', 'close', 'fstat']

function wrapSync(name: string): void {
  const methods = fs as unknown as Methods
  const original = methods[name]
  if (!original) return
  methods[name] = function (this: unknown, ...args: never[]) {
    const counted = callOf(name, args)
    const error = counted && point(counted.call, counted.where)
    if (error && !isRemoval(name)) throw error
    const result = original.apply(this, args)
    if (name === 'openSync' && counted) descriptors.set(result as number, counted.where)
    if (name === 'closeSync') descriptors.delete(args[0] as unknown as number)
    if (name === 'opendirSync' && counted) handles.set(result as object, counted.where)
    return result
  } as AnyFunction
}

/** `rmSync` with `force` has no error that its caller expects. */
const isRemoval = (name: string) => name === 'rmSync'

function wrapCallback(name: string): void {
  const methods = fs as unknown as Methods
  const original = methods[name]
  if (!original) return
  methods[name] = function (this: unknown, ...args: never[]) {
    const counted = callOf(name, args)
    const error = counted && point(counted.call, counted.where)
    const callback = args.at(-1) as unknown as (error: Error | null, result?: unknown) => void
    if (error) return void process.nextTick(callback, error)
    if (name === 'close') descriptors.delete(args[0] as unknown as number)
    if (name !== 'open' || !counted) return original.apply(this, args)
    const opened = (failure: Error | null, result?: unknown) => {
      if (!failure) descriptors.set(result as number, counted.where)
      callback(failure, result)
    }
    return original.apply(this, [...args.slice(0, -1), opened] as never[])
  } as AnyFunction
}

function wrapPromise(name: string): void {
  const methods = fs.promises as unknown as Methods
  const original = methods[name]
  if (!original) return
  methods[name] = async function (this: unknown, ...args: never[]) {
    const counted = callOf(name, args)
    const error = counted && point(counted.call, counted.where)
    if (error) throw error
    const result = await original.apply(this, args)
    if (name === 'open' && counted) handles.set(result as object, counted.where)
    return result
  } as AnyFunction
}

function wrapMethods(
  prototype: object,
  names: readonly string[],
  fail: (error: Error, result: boolean) => unknown,
): void {
  const methods = prototype as Methods
  for (const name of names) {
    const original = methods[name]
    if (!original) continue
    methods[name] = function (this: object, ...args: never[]) {
      const where = handles.get(this)
      const error = where === undefined ? undefined : point(bare(name), where)
      // What is closed with an error is closed all the same.
      if (error && name.startsWith('close'))
        return Promise.resolve(original.apply(this, args)).then(() => fail(error, true))
      return error ? fail(error, true) : original.apply(this, args)
    } as AnyFunction
  }
}

for (const name of [...byPath, ...looking, ...byDescriptor]) {
  wrapSync(`${name}Sync`)
  wrapCallback(name)
  if (!byDescriptor.includes(name)) wrapPromise(name)
}
const handle = await fs.promises.open('/dev/null')
const dir = fs.opendirSync('/')
wrapMethods(Object.getPrototypeOf(handle), ['write', 'writeFile', 'read', 'stat', 'sync', 'close'], (error) =>
  Promise.reject(error),
)
wrapMethods(Object.getPrototypeOf(dir), ['readSync'], (error) => {
  throw error
})
await handle.close()
dir.closeSync()
syncBuiltinESMExports()

// SQLite

const sqliteCodes: Readonly<Record<string, readonly [number, string]>> = {
  EIO: [10, 'disk I/O error'],
  ENOSPC: [13, 'database or disk is full'],
}

function wrapStatement(prototype: object, name: string): void {
  const methods = prototype as Methods
  const original = methods[name]
  if (!original) return
  methods[name] = function (this: unknown, ...args: never[]) {
    const where = name === 'exec' ? String(args[0]).trim().split(/[\s;]/, 1).join() : 'statement'
    const error = point(name, where)
    if (error) {
      const [errcode, message] = sqliteCodes[fault] ?? [10, 'disk I/O error']
      throw Object.assign(new Error(message), { code: 'ERR_SQLITE_ERROR', errcode, errstr: message })
    }
    const result = original.apply(this, args)
    if (fault === 'kill') point(name, `${where}, after`)
    return result
  } as AnyFunction
}

wrapStatement(sqlite.DatabaseSync.prototype, 'exec')
for (const name of fault === 'kill' ? ['run'] : ['run', 'get', 'all']) {
  wrapStatement(sqlite.StatementSync.prototype, name)
}

// Sockets

const socketMethods = net.Socket.prototype as unknown as Methods
const { connect, _writeGeneric: writeGeneric } = socketMethods
if (!connect || !writeGeneric) throw new Error('net.Socket of this Node has no connect or _writeGeneric')

const connected = new WeakSet<object>()

socketMethods['connect'] = function (this: net.Socket, ...args: never[]) {
  connected.add(this)
  const error = point('connect', 'platform')
  if (!error) return connect.apply(this, args)
  process.nextTick(() => this.destroy(error))
  return this
} as AnyFunction

socketMethods['_writeGeneric'] = function (this: net.Socket, ...args: never[]) {
  const isAccepted = Boolean((this as { server?: unknown }).server)
  // Standard output and error may be sockets too.
  if (this.connecting || !(isAccepted || connected.has(this))) return writeGeneric.apply(this, args)
  const where = isAccepted ? 'answer to a caller' : 'request to the platform'
  const error = point('send', where)
  const callback = args.at(-1) as unknown as (error: Error) => void
  if (error) return callback(Object.assign(new Error('write ECONNRESET'), { code: 'ECONNRESET', syscall: 'write' }))
  const result = writeGeneric.apply(this, args)
  if (fault === 'kill') point('send', `${where}, after`)
  return result
} as AnyFunction
