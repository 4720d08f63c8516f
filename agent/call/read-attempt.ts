import type { PlatformOperation } from '../../contract/operations.ts'
import { decodeUtf8, readStrictJson, type StrictObject } from '../../contract/strict-json.ts'
import { type AttemptResult, NotBegunError } from '../platform/attempt-result.ts'
import type { ContactSign } from '../platform/contact.ts'
import { type AnswerFacts, problemOfAnswer, type SignedRoute } from '../platform/problem-of-answer.ts'
import { problemOfFailure } from '../platform/problem-of-failure.ts'
import { type CallRefusal, type CallSuccess, refuse } from './answer.ts'
import type { PlatformCall } from './call.ts'
import { type Fault, faultOfStatus } from './fault-table.ts'

/** What one attempt means for its call. */
export type AttemptReading =
  | { readonly ok: true; readonly answer: CallSuccess }
  | {
      readonly ok: false
      readonly fault: Fault
      /** The answer of the call, if it ends here. */
      readonly answer: CallRefusal
      /** Whether the answer has the interface's form. */
      readonly isOnContract: boolean
    }

/** Checks what came back against the contract. Pure. */
export function readAttempt(call: PlatformCall, result: AttemptResult): AttemptReading {
  const mayHaveActed = call.operation.retry !== 'safe'
  if (result.kind === 'failed') {
    if (!result.wasSent)
      return failWith('not-sent', refuse('NOT_REACHED', { hadTime: !(result.cause instanceof NotBegunError) }))
    return failWith('no-answer', refuse('NO_ANSWER', { mayHaveActed }))
  }
  const { status, body } = result
  if (status >= 200 && status < 300) {
    // Where there is nothing to return, 204 says as much as 200.
    const isExpected = status === 200 || call.operation.output === null
    const dataText = isExpected ? dataTextOf(call, body) : undefined
    if (dataText !== undefined) return { ok: true, answer: { ok: true, dataText } }
    return failWith('off-contract', refuse('ANSWER_INVALID', { mayHaveActed }))
  }
  const fault = faultOfStatus(status)
  if (fault === 'redirect') return failWith(fault, refuse('REDIRECTED'))
  const messageText = messageTextOf(body)
  if (messageText === undefined) return failWith(fault, { ...refuse('NO_REASON_GIVEN', { status }), status })
  return { ok: false, fault, answer: { ok: false, messageText, status, uncertain: false }, isOnContract: true }
}

const proof: ContactSign = { kind: 'proof' }

/**
 * Says whether an attempt proves that calls go through, and else what is wrong. Only an answer in the interface's form
 * is a proof. Undefined for an attempt that did not begin. Pure.
 */
export function contactSign(
  result: AttemptResult,
  reading: AttemptReading,
  clock: AnswerFacts['clock'],
  route: SignedRoute,
): ContactSign | undefined {
  if (reading.ok) return proof
  if (result.kind === 'failed' && result.cause instanceof NotBegunError) return undefined
  if (result.kind === 'failed') return { kind: 'problem', problem: problemOfFailure(result, route) }
  const { status } = result
  const { isOnContract, answer } = reading
  const words = isOnContract ? (JSON.parse(answer.messageText) as string) : undefined
  const problem = problemOfAnswer({ status, isOnContract, words, clock }, route)
  if (!problem) return proof
  return { kind: status === 404 && isOnContract ? 'not-found' : 'problem', problem }
}

function failWith(fault: Fault, answer: CallRefusal): AttemptReading {
  return { ok: false, fault, answer, isOnContract: false }
}

/** JSON source of the answer's `data`; undefined where the answer is not the contract's. */
function dataTextOf(call: PlatformCall, body: Uint8Array): string | undefined {
  const { operation } = call
  if (operation.output === null && body.byteLength === 0) return 'null'
  const answer = objectIn(body)
  const data = answer?.value['data']
  // A PUT answers with an empty body, or with `data` like every other route.
  if (operation.output === null) return answer?.rawMembers.get('data')
  if (!operation.output.safeParse(data).success || !isAboutTheCall(operation, call.input, data)) return undefined
  return answer?.rawMembers.get('data')
}

/** A well-formed answer about another transaction or listing does not count. */
function isAboutTheCall(
  operation: PlatformOperation,
  input: Readonly<Record<string, unknown>>,
  data: unknown,
): boolean {
  if (operation.echoed === null) return true
  const echo = (data as Record<string, unknown>)[operation.echoed]
  return echo === undefined || echo === input[operation.echoed]
}

/** JSON source of the platform's message; undefined where there is none. */
function messageTextOf(body: Uint8Array): string | undefined {
  const answer = objectIn(body)
  return typeof answer?.value['message'] === 'string' ? answer.rawMembers.get('message') : undefined
}

function objectIn(body: Uint8Array): StrictObject | undefined {
  const text = decodeUtf8(body)
  const reading = text === undefined ? undefined : readStrictJson(text, { numbers: 'any' })
  return reading?.ok ? reading.object : undefined
}
