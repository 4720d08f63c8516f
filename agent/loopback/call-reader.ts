import { LRUCache } from 'lru-cache'
import { jsonFaultInWords } from '../../contract/faults-in-words.ts'
import { readStrictJson } from '../../contract/strict-json.ts'
import { type Call, isIdempotencyKey, readCall } from '../call/call.ts'

/** What a text says: a call, or what is wrong with it. */
export type CallTextReading =
  | { readonly ok: true; readonly call: Call }
  /** `id` where one can be told. */
  | { readonly ok: false; readonly message: string; readonly id: string | undefined }

const knownMax = 1_000
const knownLengthMax = 1_024

/**
 * Reads calls. Who repeats a call with an id sends the same text, and that is not read again: a fifth of what a repeated
 * id costs (measured).
 */
export class CallReader {
  readonly #known = new LRUCache<string, Call>({ max: knownMax })

  /** The call that a text of JSON says. Equal texts give equal calls. */
  read(text: string): CallTextReading {
    const known = this.#known.get(text)
    if (known) return { ok: true, call: known }
    const json = readStrictJson(text)
    if (!json.ok) return { ok: false, message: jsonFaultInWords(json.fault), id: undefined }
    const { operation, input, id } = json.object.value
    const reading = readCall({ operation, input, id })
    if (!reading.ok) return { ...reading, id: isIdempotencyKey(id) ? id : undefined }
    if (id !== undefined && text.length <= knownLengthMax) this.#known.set(text, reading.call)
    return reading
  }
}
