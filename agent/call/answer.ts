import { type RefusalCode, refusals } from './messages.ts'

/**
 * The answer to a call, as the pipeline knows it; each interface writes it in its own form. Texts from the platform
 * are kept as JSON source, so that no byte of a message and no digit of a number changes on the way through.
 */
export type CallAnswer = CallSuccess | CallRefusal

interface Answered {
  /** The stored answer of an earlier call with this id. Absent in the first answer, and where calls share one. */
  readonly replayed?: true
}

export interface CallSuccess extends Answered {
  readonly ok: true
  /** JSON source of the platform's `data`; `null` where it answers with an empty body. */
  readonly dataText: string
}

export interface CallRefusal extends Answered {
  readonly ok: false
  /** JSON source of a string, in Brazilian Portuguese. */
  readonly messageText: string
  /** The platform's HTTP status, or that of the agent's own refusal. */
  readonly status: number
  /** Names a refusal of the agent itself, for programs. The platform's refusals have none. */
  readonly code?: RefusalCode
  /** The platform may have acted although no answer came back. */
  readonly uncertain: boolean
}

/** The agent's own refusal. The catalogue says which facts its text needs. */
export function refuse<Code extends RefusalCode>(
  code: Code,
  ...facts: Parameters<(typeof refusals)[Code]['text']>
): CallRefusal {
  const { status, text } = refusals[code]
  const message = (text as (facts: unknown) => string)(facts[0])
  return { ok: false, messageText: JSON.stringify(message), status, code, uncertain: false }
}

/** As `refuse`, where the platform may have acted. */
export function refuseInDoubt<Code extends RefusalCode>(
  code: Code,
  ...facts: Parameters<(typeof refusals)[Code]['text']>
): CallRefusal {
  return { ...refuse(code, ...facts), uncertain: true }
}

/** A fault of the agent itself ended a call. */
export function refuseForBug(mayHaveActed: boolean): CallRefusal {
  return { ...refuse('INTERNAL', { mayHaveActed }), uncertain: mayHaveActed }
}

/**
 * The answer of a `once` call whose real answer is lost: the agent ended before it came, or could not store it. The call
 * is never sent again. Both cases have the same bytes, because one can follow the other.
 */
export const inDoubt: CallRefusal = refuseInDoubt('ANSWER_LOST')

/** The body of interface A's answer. Equal answers give equal bytes. @see interface section 4.10 */
export function answerText(id: string | undefined, answer: CallAnswer): string {
  const idMember = id === undefined ? '' : `"id":${JSON.stringify(id)},`
  if (answer.ok) return `{"ok":true,${idMember}"data":${answer.dataText}${replayedMember(answer)}}`
  return `{"ok":false,${idMember}${refusalMembers(answer)}}`
}

/** The members that both interfaces write of a refusal, as JSON source. */
export function refusalMembers(answer: CallRefusal): string {
  const codeMember = answer.code === undefined ? '' : `,"code":"${answer.code}"`
  const uncertainMember = answer.uncertain ? ',"uncertain":true' : ''
  return `"message":${answer.messageText},"status":${answer.status}${codeMember}${uncertainMember}${replayedMember(answer)}`
}

/** JSON source of the mark of a stored answer, with its comma; empty for other answers. */
export function replayedMember({ replayed }: CallAnswer): string {
  return replayed ? ',"replayed":true' : ''
}
