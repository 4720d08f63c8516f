import { limits } from './limits.ts'

/** Why a text is not the JSON that both programs agree on. Lines and columns count characters from 1. */
export type JsonError =
  | { readonly kind: 'not-json' | 'lone-surrogate'; readonly line: number; readonly column: number }
  | { readonly kind: 'not-an-object' | 'too-deep' }
  | { readonly kind: 'duplicate-name'; readonly name: string }
  | { readonly kind: 'inexact-number'; readonly number: string }

/** A JSON object whose every reader sees the same thing. */
export interface StrictObject {
  readonly value: Readonly<Record<string, unknown>>
  /** The text of each top-level member's value, exactly as it was written. */
  readonly rawMembers: ReadonlyMap<string, string>
}

export type JsonReading =
  | { readonly ok: true; readonly object: StrictObject }
  | { readonly ok: false; readonly error: JsonError }

export interface StrictJsonRules {
  /**
   * `exact` refuses an integer beyond ±(2^53 − 1), which would silently become another one, and a number
   * that is not finite. `any` lets it pass for a reader that hands on `rawMembers`.
   */
  readonly numbers: 'exact' | 'any'
}

/**
 * Reads a JSON object in the one way that leaves no room for two meanings: no name twice, no integer that changes
 * when read, no half of a surrogate pair, no nesting deeper than `limits.jsonDepthMax`.
 *
 * @param text Decoded text, without a byte order mark.
 */
export function readStrictJson(text: string, rules: StrictJsonRules = { numbers: 'exact' }): JsonReading {
  try {
    return { ok: true, object: new Reader(text, rules).readWhole() }
  } catch (caught) {
    if (caught instanceof JsonErrorFound) return { ok: false, error: caught.found }
    throw caught
  }
}

class JsonErrorFound extends Error {
  readonly found: JsonError

  constructor(found: JsonError) {
    super(found.kind)
    this.found = found
  }
}

const quote = 0x22
const backslash = 0x5c
const space = 0x20
const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const blank = /[ \t\n\r]*/y
const literals = { true: true, false: false, null: null } as const
const escapes = { '"': '"', '\\': '\\', '/': '/', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' } as const

/**
 * One walk over a text. The first error ends it.
 *
 * It does not use `JSON.parse`, which reads escaped names wrong after certain earlier texts
 * (https://github.com/nodejs/node/issues/63785): a call would lose its id. When the pinned Node has the fix,
 * `JSON.parse` may read the values again; the test with poisoned names says whether it has.
 */
class Reader {
  readonly #text: string
  readonly #rules: StrictJsonRules
  readonly #rawMembers = new Map<string, string>()
  #at = 0

  constructor(text: string, rules: StrictJsonRules) {
    this.#text = text
    this.#rules = rules
  }

  readWhole(): StrictObject {
    this.#skipBlank()
    const value = this.#readValue(1)
    this.#skipBlank()
    if (this.#at < this.#text.length) throw this.#notJson()
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      throw new JsonErrorFound({ kind: 'not-an-object' })
    return { value: value as Record<string, unknown>, rawMembers: this.#rawMembers }
  }

  #readValue(depth: number): unknown {
    switch (this.#text[this.#at]) {
      case '"':
        return this.#readString()
      case '{':
        return this.#readObject(depth)
      case '[':
        return this.#readList(depth)
      default:
        return this.#readNumberOrLiteral()
    }
  }

  #readObject(depth: number): Record<string, unknown> {
    const value: Record<string, unknown> = {}
    this.#open(depth)
    if (this.#take('}')) return value
    do {
      this.#skipBlank()
      if (this.#text.charCodeAt(this.#at) !== quote) throw this.#notJson()
      const name = this.#readString()
      if (Object.hasOwn(value, name)) throw new JsonErrorFound({ kind: 'duplicate-name', name })
      if (!this.#take(':')) throw this.#notJson()
      this.#skipBlank()
      const from = this.#at
      const member = this.#readValue(depth + 1)
      if (depth === 1) this.#rawMembers.set(name, this.#text.slice(from, this.#at))
      // An assignment to __proto__ would set the prototype.
      if (name === '__proto__') Object.defineProperty(value, name, { value: member, enumerable: true })
      else value[name] = member
    } while (this.#take(','))
    if (!this.#take('}')) throw this.#notJson()
    return value
  }

  #readList(depth: number): unknown[] {
    const items: unknown[] = []
    this.#open(depth)
    if (this.#take(']')) return items
    do {
      this.#skipBlank()
      items.push(this.#readValue(depth + 1))
    } while (this.#take(','))
    if (!this.#take(']')) throw this.#notJson()
    return items
  }

  #open(depth: number): void {
    if (depth > limits.jsonDepthMax) throw new JsonErrorFound({ kind: 'too-deep' })
    this.#at++
  }

  #readString(): string {
    const openedAt = this.#at++
    let content = ''
    let isWellFormed = true
    for (let from = this.#at; ; ) {
      const character = this.#text.charCodeAt(this.#at)
      if (character === quote || character === backslash) {
        const plain = this.#text.slice(from, this.#at)
        isWellFormed &&= plain.isWellFormed()
        content += plain
        if (character === quote) break
        content += this.#readEscape()
        from = this.#at
      } else if (character >= space) {
        this.#at++
      } else {
        // A control character, or the end of the text.
        throw this.#notJson()
      }
    }
    this.#at++
    if (!isWellFormed || !content.isWellFormed())
      throw new JsonErrorFound({ kind: 'lone-surrogate', ...this.#position(openedAt) })
    return content
  }

  #readEscape(): string {
    const letter = this.#text[this.#at + 1] ?? ''
    if (Object.hasOwn(escapes, letter)) {
      this.#at += 2
      return escapes[letter as keyof typeof escapes]
    }
    const digits = this.#text.slice(this.#at + 2, this.#at + 6)
    if (letter !== 'u' || !/^[0-9a-f]{4}$/i.test(digits)) throw this.#notJson()
    this.#at += 6
    return String.fromCharCode(Number.parseInt(digits, 16))
  }

  #readNumberOrLiteral(): number | boolean | null {
    number.lastIndex = this.#at
    const token = number.exec(this.#text)?.[0]
    if (token === undefined) return this.#readLiteral()
    this.#at += token.length
    const value = Number(token)
    // A text that was cut short may end within a number, so that is not an inexact number yet.
    const isCutShort = this.#at === this.#text.length
    if (this.#rules.numbers === 'any' || isExact(value) || isCutShort) return value
    throw new JsonErrorFound({ kind: 'inexact-number', number: token })
  }

  #readLiteral(): boolean | null {
    for (const [text, value] of Object.entries(literals)) {
      if (!this.#text.startsWith(text, this.#at)) continue
      this.#at += text.length
      return value
    }
    throw this.#notJson()
  }

  /** Moves past a character, if it comes next. */
  #take(character: string): boolean {
    this.#skipBlank()
    const isNext = this.#text[this.#at] === character
    if (isNext) this.#at++
    return isNext
  }

  #skipBlank(): void {
    if (this.#text.charCodeAt(this.#at) > space) return
    blank.lastIndex = this.#at
    blank.test(this.#text)
    this.#at = blank.lastIndex
  }

  #notJson(): JsonErrorFound {
    return new JsonErrorFound({ kind: 'not-json', ...this.#position(this.#at) })
  }

  #position(at: number): { line: number; column: number } {
    const before = this.#text.slice(0, at)
    const lineStart = before.lastIndexOf('\n') + 1
    return { line: before.split('\n').length, column: [...before.slice(lineStart)].length + 1 }
  }
}

function isExact(value: number): boolean {
  return Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value))
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false })

/** The text of UTF-8 bytes, a leading byte order mark taken off; undefined where the bytes are not UTF-8. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return utf8.decode(bytes)
  } catch {
    return undefined
  }
}
