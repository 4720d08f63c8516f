import fs from 'node:fs'
import { point, root } from './point.ts'
import { callThrough, wrap } from './wrap.ts'

const byPath = ['open', 'opendir', 'rename', 'unlink', 'link', 'mkdir', 'rm', 'readFile', 'writeFile']
const looking = ['stat', 'lstat', 'realpath', 'chmod', 'chown', 'readdir']
const byDescriptor = ['write', 'read', 'fsync', 'fdatasync', 'close', 'fstat']

/** The three forms of `node:fs`: synchronous, with a callback, and promised. */
export async function watchFiles(): Promise<void> {
  for (const name of [...byPath, ...looking, ...byDescriptor]) {
    wrapSync(`${name}Sync`)
    wrapCallback(name)
    if (!byDescriptor.includes(name)) wrapPromise(name)
  }
  wrapSync('watch')
  wrapExists()
  await wrapHandles()
}

// What a call is about

const descriptors = new Map<number, string>()
const handles = new WeakMap<object, string>()

/** What a path stands for; undefined for a file that is none of the agent's. */
function placeOf(path: unknown): string | undefined {
  if (typeof path !== 'string' || !path.startsWith(`${root}/`)) return undefined
  const name = path.slice(path.lastIndexOf('/') + 1)
  const folder = path.slice(root.length + 1, path.lastIndexOf('/')).replace('spool/', '')
  const kinds: [RegExp, string][] = [
    [/\.claim-/, 'claim'],
    [/\.done$/, 'done'],
    [/\.tmp$|^(?:agent|owner)\.json\.\d/, 'temporary'],
    [/\.json\.(?:unread|rejected)/, 'set aside'],
    [/^(?:outbox|inbox|events|replies|spool|state)$/, name],
    [/^(?:agent\.json|owner|journal|orders|ballast)/, name],
    [/\.pem$/, 'key'],
    [/\.json$/, 'request or answer'],
  ]
  const kind = kinds.find(([pattern]) => pattern.test(name))?.[1] ?? 'probe'
  return folder === '' || kind === name ? kind : `${kind} in ${folder}`
}

/** `fsyncSync` and `sync` of a handle are one kind of call. */
const bare = (name: string) => name.replace(/Sync$/, '').replace(/^f(?=stat$|sync$|datasync$)/, '')
const isForWriting = (flags: unknown) => typeof flags === 'string' && flags !== 'r'

interface Counted {
  readonly call: string
  readonly where: string
}

function countedCall(name: string, [first, second]: readonly unknown[]): Counted | undefined {
  const where = typeof first === 'number' ? descriptors.get(first) : (placeOf(first) ?? placeOf(second))
  if (where === undefined) return undefined
  const call = bare(name)
  return { call: call === 'open' && isForWriting(second) ? 'open for writing' : call, where }
}

const errorAt = (counted: Counted | undefined) => counted && point(counted.call, counted.where)

// The three forms

function wrapSync(name: string): void {
  wrap(
    fs,
    name,
    (original) =>
      function (...args) {
        const counted = countedCall(name, args)
        const error = errorAt(counted)
        // What is closed with an error is closed all the same.
        if (error && name !== 'closeSync') throw error
        const result = callThrough(original, this, args)
        if (name === 'openSync' && counted) descriptors.set(result as number, counted.where)
        if (name === 'closeSync') descriptors.delete(args[0] as number)
        if (name === 'opendirSync' && counted) handles.set(result as object, counted.where)
        if (error) throw error
        return result
      },
  )
}

function wrapCallback(name: string): void {
  wrap(
    fs,
    name,
    (original) =>
      function (...args) {
        const counted = countedCall(name, args)
        const callback = args.at(-1)
        if (!counted || typeof callback !== 'function') return callThrough(original, this, args)
        const error = errorAt(counted)
        if (name === 'close') descriptors.delete(args[0] as number)
        const answer = (failure: Error | null, ...results: unknown[]) => {
          if (name === 'open' && !failure) descriptors.set(results[0] as number, counted.where)
          callback(error ?? failure, ...results)
        }
        if (error && name !== 'close') return void process.nextTick(answer, error)
        return callThrough(original, this, [...args.slice(0, -1), answer])
      },
  )
}

function wrapPromise(name: string): void {
  wrap(
    fs.promises,
    name,
    (original) =>
      async function (...args) {
        const counted = countedCall(name, args)
        const error = errorAt(counted)
        if (error) throw error
        const result = await callThrough(original, this, args)
        if (name === 'open' && counted) handles.set(result as object, counted.where)
        return result
      },
  )
}

function wrapExists(): void {
  wrap(
    fs,
    'existsSync',
    (original) =>
      function (...args) {
        const where = placeOf(args[0])
        // Whatever goes wrong, it answers that there is nothing.
        if (where !== undefined && point('exists', where)) return false
        return callThrough(original, this, args)
      },
  )
}

/** Open files and directories are objects whose classes are not exported. */
async function wrapHandles(): Promise<void> {
  const file = await fs.promises.open('/dev/null')
  const dir = fs.opendirSync('/')
  for (const name of ['write', 'writeFile', 'read', 'stat', 'sync', 'datasync', 'close']) {
    wrap(
      Object.getPrototypeOf(file) as object,
      name,
      (original) =>
        async function (...args) {
          const where = handles.get(this as object)
          const error = where === undefined ? undefined : point(bare(name), where)
          if (error && name !== 'close') throw error
          const result = await callThrough(original, this, args)
          if (error) throw error
          return result
        },
    )
  }
  wrap(
    Object.getPrototypeOf(dir) as object,
    'readSync',
    (original) =>
      function (...args) {
        const where = handles.get(this as object)
        const error = where === undefined ? undefined : point('read', where)
        if (error) throw error
        return callThrough(original, this, args)
      },
  )
  await file.close()
  dir.closeSync()
}
