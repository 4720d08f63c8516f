import { type RefusalCode, refusals } from './messages.ts'

/**
 * The platform says no: a status, a text ready for the player, and a code for developers. Use cases return it as a
 * value, before they have written anything.
 */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly code: RefusalCode
  readonly status: number
  /** Headers that the status asks for, `Allow` of a 405. */
  readonly headers: Readonly<Record<string, string>>

  constructor(code: RefusalCode, status: number, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message)
    this.code = code
    this.status = status
    this.headers = headers
  }
}

/** What the text of a refusal needs to know. */
export type FactsOf<Code extends RefusalCode> = (typeof refusals)[Code][1] extends (facts: infer Facts) => string
  ? [facts: Facts]
  : []

/** The refusal of a code; the catalogue says which facts its text needs. */
export function refuse<Code extends RefusalCode>(code: Code, ...facts: FactsOf<Code>): Refusal {
  const [status, text] = refusals[code]
  return new Refusal(code, status, typeof text === 'string' ? text : (text as (facts: unknown) => string)(facts[0]))
}

/** A value that is not a refusal, for routes whose framework answers what is thrown. @throws {Refusal} */
export function orThrow<Value>(value: Value | Refusal): Value {
  if (value instanceof Refusal) throw value
  return value
}
