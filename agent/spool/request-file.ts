import { jsonErrorInWords } from '../../contract/faults-in-words.ts'
import { limits } from '../../contract/limits.ts'
import { decodeUtf8, readStrictJson } from '../../contract/strict-json.ts'
import { type CallRefusal, refuse } from '../call/answer.ts'
import { type Call, readCall } from '../call/call.ts'
import type { Files } from '../durable-files/files.ts'
import { readBounded } from '../durable-files/read-bounded.ts'

/** What a claimed file holds. */
export type RequestReading =
  | { readonly kind: 'call'; readonly call: Call }
  | Refused
  /** It is not a JSON object yet, and its writer may still be writing it: then `stamp` changes. */
  | (Omit<Refused, 'kind'> & { readonly kind: 'half-written'; readonly stamp: string; readonly isEmpty: boolean })
  | { readonly kind: 'gone' }

/** It can never become a call. */
export interface Refused {
  readonly kind: 'refused'
  readonly answer: CallRefusal
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
export function readRequestFile(files: Files, path: string, id: string): RequestReading {
  const refused = (answer: CallRefusal, reason: string): Refused => ({ kind: 'refused', answer, reason })
  const read = readBounded(files, path)
  if (read === 'gone') return { kind: 'gone' }
  if (read === 'no-right') {
    // Its writer may still set the rights, or a virus scanner may have it open.
    return { ...refused(refuse('FILE_NOT_READABLE'), read), kind: 'half-written', stamp: read, isEmpty: false }
  }
  if (read === 'not-regular') return refused(refuse('FILE_NOT_REGULAR'), read)
  const { bytes, stamp } = read
  if (bytes.byteLength > limits.bodyBytesMax) return refused(refuse('FILE_TOO_LARGE'), 'too-large')

  const halfWritten = (answer: CallRefusal, reason: string): RequestReading => ({
    ...refused(answer, reason),
    kind: 'half-written',
    stamp,
    isEmpty: bytes.byteLength === 0,
  })
  if (isUtf16(bytes)) return halfWritten(refuse('FILE_UTF16'), 'utf-16')
  const text = decodeUtf8(bytes)
  if (text === undefined) return halfWritten(refuse('BODY_NOT_UTF8'), 'not-utf-8')
  const json = readStrictJson(text)
  if (!json.ok) {
    const invalid = refuse('JSON_INVALID', { inWords: jsonErrorInWords(json.error) })
    if (json.error.kind !== 'not-json') return refused(invalid, json.error.kind)
    if (isCutOff(text)) return halfWritten(refuse('FILE_HALF_WRITTEN', { id }), 'half-written')
    return halfWritten(invalid, json.error.kind)
  }
  const { id: idInside, action, ...fields } = json.object.value
  if (idInside !== undefined && idInside !== id) return refused(refuse('ID_DIFFERS', { id }), 'id-differs')
  if (typeof action !== 'string') return refused(refuse('OPERATION_MISSING', { member: 'action' }), 'action-missing')
  const reading = readCall({ operation: action, input: fields, id })
  return reading.ok ? { kind: 'call', call: reading.call } : refused(reading, 'action-unknown')
}

/**
 * Whether a text that is not JSON ends too early: it is blank, or a string, object or list in it is still open. It is one
 * walk, because the text may be anything.
 */
function isCutOff(text: string): boolean {
  let [isInString, open] = [false, 0]
  for (let at = 0; at < text.length; at++) {
    const character = text[at] ?? ''
    if (character === '"') isInString = !isInString
    else if (isInString) at += character === '\\' ? 1 : 0
    else if ('{['.includes(character)) open++
    else if ('}]'.includes(character)) open--
  }
  return isInString || open > 0 || text.trim() === ''
}

function isUtf16(bytes: Buffer): boolean {
  const [first, second] = bytes
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) return true
  // JSON begins with two ASCII characters. A file of zeros is not a text: it is space that was reserved for one.
  const zeros = [...bytes.subarray(0, 4)].map((byte) => (byte === 0 ? '0' : 'x')).join('')
  return zeros === 'x0x0' || zeros === '0x0x'
}
