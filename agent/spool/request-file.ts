import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'
import { jsonFaultInWords } from '../../contract/faults-in-words.ts'
import { limits } from '../../contract/limits.ts'
import { decodeUtf8, readStrictJson } from '../../contract/strict-json.ts'
import { type Call, readCall } from '../call/call.ts'
import { messages } from '../call/messages.ts'

/** What a claimed file holds. */
export type RequestReading =
  | { readonly kind: 'call'; readonly call: Call }
  /** Understood as JSON, but no call: said in words. */
  | { readonly kind: 'refused'; readonly message: string }
  /**
   * Not yet, or never, a JSON object. A writer may still be at it: `stamp` changes for as long as it is.
   */
  | { readonly kind: 'unfinished'; readonly stamp: string; readonly isEmpty: boolean; readonly message: string }
  /** It is not there any more. */
  | { readonly kind: 'gone' }

/**
 * Reads a claimed file: at most `limits.bodyBytesMax` bytes of a regular file, without following a link and without
 * waiting on a pipe, whatever has become of the name since it was looked at. It was written just now, so it is in
 * memory: 15 µs, where the thread pool's five hand-overs take 230 (measured).
 *
 * @param id The file's name without `.json`: the id of the call.
 */
export function readRequestFile(path: string, id: string): RequestReading {
  const read = readBounded(path)
  if (read === 'gone') return { kind: 'gone' }
  // Its writer may still set the rights, and a virus scanner lets go.
  if (read === 'no-right') return { kind: 'unfinished', stamp: read, isEmpty: false, message: messages.fileNotReadable }
  if (read === 'not-regular') return { kind: 'refused', message: messages.fileNotRegular }
  const { bytes, stamp } = read
  if (bytes.byteLength > limits.bodyBytesMax) return { kind: 'refused', message: messages.bodyTooLarge }

  const unfinished = (message: string): RequestReading => ({
    kind: 'unfinished',
    stamp,
    isEmpty: bytes.byteLength === 0,
    message,
  })
  if (isUtf16(bytes)) return unfinished(messages.fileUtf16)
  const text = decodeUtf8(bytes)
  if (text === undefined) return unfinished(messages.bodyNotUtf8)
  const json = readStrictJson(text)
  if (!json.ok) {
    const message = jsonFaultInWords(json.fault)
    return json.fault.kind === 'not-json' ? unfinished(message) : { kind: 'refused', message }
  }
  const { id: idInside, action, ...fields } = json.object.value
  if (idInside !== undefined && idInside !== id) return { kind: 'refused', message: messages.fileIdDiffers(id) }
  if (typeof action !== 'string') return { kind: 'refused', message: messages.actionMissing }
  const reading = readCall({ operation: action, input: fields, id })
  return reading.ok ? { kind: 'call', call: reading.call } : { kind: 'refused', message: reading.message }
}

interface Read {
  readonly bytes: Buffer
  readonly stamp: string
}

function readBounded(path: string): Read | 'gone' | 'not-regular' | 'no-right' {
  // O_NONBLOCK and O_NOFOLLOW do not exist on Windows, and neither do the pipes and links that they are against.
  const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)
  let fd: number
  try {
    fd = openSync(path, flags)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return 'gone'
    if (code === 'ELOOP' || code === 'ENXIO') return 'not-regular'
    if (code === 'EACCES' || code === 'EPERM') return 'no-right'
    throw error
  }
  try {
    const stat = fstatSync(fd, { bigint: true })
    if (!stat.isFile()) return 'not-regular'
    const buffer = Buffer.allocUnsafe(Math.min(Number(stat.size), limits.bodyBytesMax) + 1)
    let length = 0
    for (;;) {
      const bytesRead = readSync(fd, buffer, length, buffer.byteLength - length, length)
      length += bytesRead
      if (bytesRead === 0 || length === buffer.byteLength) break
    }
    // A file that grew while it was read is looked at again: its end has not been seen.
    const isWhole = length === Number(stat.size) || length > limits.bodyBytesMax
    const bytes = buffer.subarray(0, length)
    return { bytes: isWhole ? bytes : Buffer.from('{'), stamp: `${stat.size} ${stat.mtimeNs}` }
  } finally {
    closeSync(fd)
  }
}

function isUtf16(bytes: Buffer): boolean {
  const [first, second] = bytes
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) return true
  // JSON begins with two characters of ASCII. A file of zeros is no text at all: space that was set aside for one.
  const zeros = [...bytes.subarray(0, 4)].map((byte) => (byte === 0 ? '0' : 'x')).join('')
  return zeros === 'x0x0' || zeros === '0x0x'
}
