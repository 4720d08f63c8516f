import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'
import { jsonErrorInWords } from '../../contract/faults-in-words.ts'
import { limits } from '../../contract/limits.ts'
import { decodeUtf8, readStrictJson } from '../../contract/strict-json.ts'
import { type Call, readCall } from '../call/call.ts'
import { messages } from '../call/messages.ts'

/** What a claimed file holds. */
export type RequestReading =
  | { readonly kind: 'call'; readonly call: Call }
  | Refused
  /** It is no JSON object yet, and its writer may still be writing it: then `stamp` changes. */
  | (Omit<Refused, 'kind'> & { readonly kind: 'half-written'; readonly stamp: string; readonly isEmpty: boolean })
  | { readonly kind: 'gone' }

/** It can never become a call. */
export interface Refused {
  readonly kind: 'refused'
  /** For the game server, in Brazilian Portuguese. */
  readonly message: string
  /** For the log. */
  readonly reason: string
}

/**
 * Reads a claimed file: at most `limits.bodyBytesMax` bytes of a regular file. It follows no link and waits on no pipe,
 * whatever has happened to the name since the scan. A file that was just written is in memory, so this takes 15 µs in
 * the event loop and 230 µs through the thread pool (measured).
 *
 * @param id The file's name without `.json`: the id of the call.
 */
export function readRequestFile(path: string, id: string): RequestReading {
  const refused = (message: string, reason: string): Refused => ({ kind: 'refused', message, reason })
  const read = readBounded(path)
  if (read === 'gone') return { kind: 'gone' }
  if (read === 'no-right') {
    // Its writer may still set the rights, or a virus scanner may have it open.
    return { ...refused(messages.fileNotReadable, read), kind: 'half-written', stamp: read, isEmpty: false }
  }
  if (read === 'not-regular') return refused(messages.fileNotRegular, read)
  const { bytes, stamp } = read
  if (bytes.byteLength > limits.bodyBytesMax) return refused(messages.bodyTooLarge, 'too-large')

  const halfWritten = (message: string, reason: string): RequestReading => ({
    ...refused(message, reason),
    kind: 'half-written',
    stamp,
    isEmpty: bytes.byteLength === 0,
  })
  if (isUtf16(bytes)) return halfWritten(messages.fileUtf16, 'utf-16')
  const text = decodeUtf8(bytes)
  if (text === undefined) return halfWritten(messages.bodyNotUtf8, 'not-utf-8')
  const json = readStrictJson(text)
  if (!json.ok) {
    if (json.error.kind !== 'not-json') return refused(jsonErrorInWords(json.error), json.error.kind)
    if (isCutOff(text)) return halfWritten(messages.fileHalfWritten(id), 'half-written')
    return halfWritten(jsonErrorInWords(json.error), json.error.kind)
  }
  const { id: idInside, action, ...fields } = json.object.value
  if (idInside !== undefined && idInside !== id) return refused(messages.fileIdDiffers(id), 'id-differs')
  if (typeof action !== 'string') return refused(messages.actionMissing, 'action-missing')
  const reading = readCall({ operation: action, input: fields, id })
  return reading.ok ? { kind: 'call', call: reading.call } : refused(reading.message, 'action-unknown')
}

/** Whether a text that is no JSON ends too early: it is empty, or a string, object or list in it is still open. */
function isCutOff(text: string): boolean {
  const marks = text.replace(/"(?:[^"\\]|\\.)*"/gs, '')
  const count = (mark: RegExp) => marks.match(mark)?.length ?? 0
  return marks.trim() === '' || marks.includes('"') || count(/[{[]/g) > count(/[}\]]/g)
}

interface Read {
  readonly bytes: Buffer
  readonly stamp: string
}

/** At most `limits.bodyBytesMax` bytes and one more, of a regular file; `stamp` changes with it. */
export function readBounded(path: string): Read | 'gone' | 'not-regular' | 'no-right' {
  // Windows has neither O_NONBLOCK and O_NOFOLLOW nor the pipes and links that they are against.
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
    // A file that grew while it was read is read again: its end has not been seen.
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
  // JSON begins with two ASCII characters. A file of zeros is no text: it is space that was reserved for one.
  const zeros = [...bytes.subarray(0, 4)].map((byte) => (byte === 0 ? '0' : 'x')).join('')
  return zeros === 'x0x0' || zeros === '0x0x'
}
