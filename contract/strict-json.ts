import { limits } from './limits.ts'

/** Why a text is not the JSON that both programs agree on. */
export type JsonFault =
  | { readonly kind: 'not-json' | 'not-an-object' | 'too-deep' | 'lone-surrogate' }
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
  | { readonly ok: false; readonly fault: JsonFault }

export interface StrictJsonRules {
  /**
   * `exact` refuses an integer beyond ±(2^53 − 1), which would silently become another one, and a number
   * that is no finite one. `any` lets it pass for a reader that hands on `rawMembers`.
   */
  readonly numbers: 'exact' | 'any'
}

/**
 * Reads a JSON object in the one way that leaves no room for two meanings: no name twice, no integer that changes
 * when read, no half of a surrogate pair, no nesting deeper than `limits.jsonDepthMax`.
 *
 * `JSON.parse` decides what is JSON and builds the value; the scan behind it looks only for what `JSON.parse` forgives.
 *
 * @param text Decoded text, without a byte order mark.
 */
export function readStrictJson(text: string, rules: StrictJsonRules = { numbers: 'exact' }): JsonReading {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return { ok: false, fault: { kind: 'not-json' } }
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return { ok: false, fault: { kind: 'not-an-object' } }
  const rawMembers = new Map<string, string>()
  const fault = scan(text, rules, rawMembers)
  return fault ? { ok: false, fault } : { ok: true, object: { value: value as Record<string, unknown>, rawMembers } }
}

const code = {
  quote: 0x22,
  backslash: 0x5c,
  openBrace: 0x7b,
  closeBrace: 0x7d,
  openBracket: 0x5b,
  closeBracket: 0x5d,
  colon: 0x3a,
  comma: 0x2c,
  plus: 0x2b,
  minus: 0x2d,
  point: 0x2e,
  zero: 0x30,
  nine: 0x39,
  e: 0x65,
} as const

/** A walk over a text that is known to be a JSON object. */
interface Walk {
  readonly text: string
  readonly rules: StrictJsonRules
  readonly rawMembers: Map<string, string>
  at: number
  /** For each open bracket the names seen in it; null for a list. */
  readonly open: (Set<string> | null)[]
  nameIsNext: boolean
  rootName: string
  rootValueAt: number
}

function scan(text: string, rules: StrictJsonRules, rawMembers: Map<string, string>): JsonFault | undefined {
  if (!text.isWellFormed()) return { kind: 'lone-surrogate' }
  const walk: Walk = { text, rules, rawMembers, at: 0, open: [], nameIsNext: false, rootName: '', rootValueAt: 0 }
  while (walk.at < text.length) {
    const fault = takeToken(walk)
    if (fault) return fault
  }
  return undefined
}

/** Moves past one token, or past one character that says nothing: white space, a letter of `true`. */
function takeToken(walk: Walk): JsonFault | undefined {
  const first = walk.text.charCodeAt(walk.at)
  switch (first) {
    case code.quote:
      return takeString(walk)
    case code.openBrace:
    case code.openBracket:
      if (walk.open.length === limits.jsonDepthMax) return { kind: 'too-deep' }
      walk.nameIsNext = first === code.openBrace
      walk.open.push(walk.nameIsNext ? new Set() : null)
      break
    case code.closeBrace:
    case code.closeBracket:
      if (walk.open.length === 1 && walk.open[0]?.size) keepRootMember(walk)
      walk.open.pop()
      walk.nameIsNext = false
      break
    case code.colon:
      if (walk.open.length === 1) walk.rootValueAt = walk.at + 1
      break
    case code.comma:
      if (walk.open.length === 1) keepRootMember(walk)
      walk.nameIsNext = walk.open.at(-1) !== null
      break
    default:
      if (first === code.minus || (first >= code.zero && first <= code.nine)) return takeNumber(walk)
  }
  walk.at++
  return undefined
}

function keepRootMember(walk: Walk): void {
  walk.rawMembers.set(walk.rootName, walk.text.slice(walk.rootValueAt, walk.at).trim())
}

function takeString(walk: Walk): JsonFault | undefined {
  const start = walk.at
  walk.at = closingQuoteOf(walk.text, start) + 1
  const token = walk.text.slice(start, walk.at)
  const hasEscapes = token.includes('\\')
  if (!hasEscapes && !walk.nameIsNext) return undefined
  const content = hasEscapes ? (JSON.parse(token) as string) : token.slice(1, -1)
  if (hasEscapes && !content.isWellFormed()) return { kind: 'lone-surrogate' }
  return walk.nameIsNext ? takeName(walk, content) : undefined
}

function closingQuoteOf(text: string, openingQuoteAt: number): number {
  let at = openingQuoteAt
  do at = text.indexOf('"', at + 1)
  while (isEscaped(text, at))
  return at
}

/** Whether an odd number of backslashes stands before a character. */
function isEscaped(text: string, at: number): boolean {
  let first = at
  while (text.charCodeAt(first - 1) === code.backslash) first--
  return (at - first) % 2 === 1
}

function takeName(walk: Walk, name: string): JsonFault | undefined {
  walk.nameIsNext = false
  const names = walk.open.at(-1)
  if (names?.has(name)) return { kind: 'duplicate-name', name }
  names?.add(name)
  if (walk.open.length === 1) walk.rootName = name
  return undefined
}

function takeNumber(walk: Walk): JsonFault | undefined {
  const start = walk.at
  while (isOfNumber(walk.text.charCodeAt(walk.at))) walk.at++
  const token = walk.text.slice(start, walk.at)
  return walk.rules.numbers === 'any' || isExact(Number(token)) ? undefined : { kind: 'inexact-number', number: token }
}

/** A digit, a sign, a point or an exponent's letter, of either case. */
function isOfNumber(character: number): boolean {
  if (character >= code.zero && character <= code.nine) return true
  return (
    character === code.minus || character === code.plus || character === code.point || (character | 0x20) === code.e
  )
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
