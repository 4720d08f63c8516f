import { hash } from 'node:crypto'
import { inputErrorInWords, receivedInWords } from '../../contract/faults-in-words.ts'
import { limits } from '../../contract/limits.ts'
import { type Operation, operationNamed, type PlatformOperation } from '../../contract/operations.ts'
import { messages } from './messages.ts'

type Fields = Readonly<Record<string, unknown>>

/** One call, understood. */
export interface Call<Kind extends Operation = Operation> {
  /** The caller's idempotency key. */
  readonly id: string | undefined
  /** What makes two calls equal: operation and input, whatever the order of the input's names. Set with the id. */
  readonly fingerprint?: string | undefined
  readonly operationName: string
  readonly operation: Kind
  readonly input: Fields
  /** What the operation's schema does not allow in the input, in words. */
  readonly inputError?: string | undefined
  /**
   * Set for a request that a former agent claimed and did not answer: by this journal's agent, or by one with another
   * memory, which may have sent it.
   */
  readonly claimedBefore?: 'here' | 'elsewhere' | undefined
}
export type PlatformCall = Call<PlatformOperation>

export type CallReading = { readonly ok: true; readonly call: Call } | { readonly ok: false; readonly message: string }

/**
 * Understands the three members of a call. What is wrong with them is said in words; nothing is thrown. A wrong field
 * of the input is a call all the same, which is refused: it has an id.
 */
export function readCall(members: { operation: unknown; input: unknown; id: unknown }): CallReading {
  const { operation: operationName, input, id } = members
  if (typeof operationName !== 'string') return { ok: false, message: messages.operationMissing }
  const operation = operationNamed(operationName)
  if (!operation) return { ok: false, message: messages.operationUnknown(operationName) }
  if (!isIdempotencyKey(id)) return { ok: false, message: messages.idInvalid }
  if (input === undefined) return { ok: false, message: messages.inputMissing }
  if (!isObject(input)) return { ok: false, message: messages.inputNotObject(receivedInWords(input)) }
  const fingerprint = id === undefined ? undefined : fingerprintOf(operationName, input)
  const issue = operation.input.safeParse(input).error?.issues[0]
  const inputError = issue && inputErrorInWords(issue, input)
  return { ok: true, call: { id, fingerprint, operationName, operation, input, inputError } }
}

/** An id that the caller may use, or none. */
export function isIdempotencyKey(id: unknown): id is string | undefined {
  return id === undefined || (typeof id === 'string' && id.length >= 1 && id.length <= limits.idempotencyKeyLengthMax)
}

function fingerprintOf(operationName: string, input: Fields): string {
  return hash('sha256', `${operationName}\n${JSON.stringify(sorted(input))}`, 'base64url')
}

/** The key that puts calls in order; undefined for a call that waits for no other. */
export function orderKeyOf({ operation, input, inputError }: Call): string | undefined {
  if (operation.kind !== 'platform' || operation.orderedBy === null || inputError !== undefined) return undefined
  return `${operation.orderedBy} ${String(input[operation.orderedBy])}`
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (!isObject(value)) return value
  const names = Object.keys(value).sort()
  // Wrapped, so that no list can look like it.
  return { '': names.map((name) => [name, sorted(value[name])]) }
}
