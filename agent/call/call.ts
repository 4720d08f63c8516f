import { hash } from 'node:crypto'
import { inputErrorInWords, receivedInWords } from '../../contract/faults-in-words.ts'
import { limits } from '../../contract/limits.ts'
import { type Operation, operationNamed, type PlatformOperation } from '../../contract/operations.ts'
import { type CallRefusal, refuse } from './answer.ts'

const itemKeyStart = 'itemRef '

type Fields = Readonly<Record<string, unknown>>

/** One call, understood. */
export interface Call<Kind extends Operation = Operation> {
  /** The caller's idempotency key. */
  readonly id: string | undefined
  /** Equal for equal calls: the same operation and input, in any order of names. Set if there is an id. */
  readonly fingerprint?: string | undefined
  readonly operationName: string
  readonly operation: Kind
  readonly input: Fields
  /** In words, why the operation does not accept the input. */
  readonly inputError?: string | undefined
  /**
   * Set for a request that an earlier agent claimed and did not answer. `here`: it had the same journal. `long-ago`: the
   * same one, which may have forgotten the call. `elsewhere`: it had another one and may have sent the call.
   */
  readonly claimedBefore?: 'here' | 'long-ago' | 'elsewhere' | undefined
}
export type PlatformCall = Call<PlatformOperation>

/** Whether a call must act once at most. */
export function isOnce({ operation }: Call): boolean {
  return operation.kind === 'platform' && operation.retry === 'once'
}

export type CallReading = { readonly ok: true; readonly call: Call } | CallRefusal

/**
 * Reads the three members of a call. It throws nothing and says in words what is wrong. With a wrong field in the input
 * it is still a call, which has an id and is refused.
 */
export function readCall(members: { operation: unknown; input: unknown; id: unknown }): CallReading {
  const { operation: operationName, input, id } = members
  if (typeof operationName !== 'string') return refuse('OPERATION_MISSING', { member: 'operation' })
  const operation = operationNamed(operationName)
  if (!operation) return refuse('OPERATION_UNKNOWN', { name: operationName })
  if (!isIdempotencyKey(id)) return refuse('ID_INVALID')
  if (input === undefined) return refuse('INPUT_MISSING')
  if (!isObject(input)) return refuse('INPUT_NOT_OBJECT', { received: receivedInWords(input) })
  const fingerprint = id === undefined ? undefined : fingerprintOf(operationName, input)
  const issue = operation.input.safeParse(input).error?.issues[0]
  const inputError = issue && inputErrorInWords(issue, input)
  return { ok: true, call: { id, fingerprint, operationName, operation, input, inputError } }
}

/** Whether an id may be used. No id is fine too. */
export function isIdempotencyKey(id: unknown): id is string | undefined {
  return id === undefined || (typeof id === 'string' && id.length >= 1 && id.length <= limits.idempotencyKeyLengthMax)
}

function fingerprintOf(operationName: string, input: Fields): string {
  return hash('sha256', `${operationName}\n${JSON.stringify(sortNames(input))}`, 'base64url')
}

/** The key that puts calls in order; undefined for a call that never waits for another. */
export function orderKeyOf({ operation, input, inputError }: Call): string | undefined {
  if (operation.kind !== 'platform' || operation.orderedBy === null || inputError !== undefined) return undefined
  return `${operation.orderedBy} ${String(input[operation.orderedBy])}`
}

/** The key of the calls that report the stock of an item. */
export function keyOfItem(itemRef: string): string {
  return `${itemKeyStart}${itemRef}`
}

/** The item of such a key; undefined for other keys. */
export function itemOfKey(key: string): string | undefined {
  return key.startsWith(itemKeyStart) ? key.slice(itemKeyStart.length) : undefined
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function sortNames(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortNames)
  if (!isObject(value)) return value
  const names = Object.keys(value).sort()
  // In an object, because a list could look the same.
  return { '': names.map((name) => [name, sortNames(value[name])]) }
}
