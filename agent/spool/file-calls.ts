import type { CallAnswer } from '../call/answer.ts'
import { answerCall, type CallDeps } from '../call/answer-call.ts'
import { type Call, orderKeyOf, type PlatformCall } from '../call/call.ts'
import type { Turn } from '../call/turns.ts'

/**
 * The calls of request files. They wait for their turn before they begin, so that a file that waits holds up nobody and
 * its deadline does not run; and they wait in the one line of their item or transaction with the calls of interface A.
 */
export interface FileCalls {
  /**
   * Joins the line of the call's item or transaction, at once.
   *
   * @returns undefined for a call that has no line, or shares the answer of an equal id under way. The promise is
   * fulfilled already when nobody is before it; without a turn after a day.
   */
  readonly takeTurn: (call: Call) => Promise<Turn | undefined> | undefined
  /**
   * Answers a call.
   *
   * @param turn What `takeTurn` gave. It is handed on at the end, whatever that is.
   */
  readonly answerCall: (call: Call, turn: Turn | undefined) => Promise<CallAnswer>
}

const turnAwaitedMs = 24 * 3_600_000

/** @param deps Those of the calls that come by interface A: one line, one memory, one call under way for an id. */
export function fileCalls(deps: CallDeps): FileCalls {
  const isUnderWay = ({ id }: Call): boolean => id !== undefined && deps.singleFlight.find(id) !== undefined
  return {
    takeTurn(call) {
      if (call.operation.kind !== 'platform' || call.inputFault !== undefined) return undefined
      const key = orderKeyOf(call as PlatformCall)
      if (key === undefined || isUnderWay(call)) return undefined
      return deps.turns.take(key, deps.clock.monotonicMs() + turnAwaitedMs)
    },
    async answerCall(call, turn) {
      if (!turn) return answerCall(call, deps)
      const atHand = onceReleased(turn)
      // An equal id that came by interface A meanwhile stands behind this turn, and its answer serves both.
      if (isUnderWay(call)) atHand.release()
      try {
        return await answerCall(call, { ...deps, turns: { take: async () => atHand } })
      } finally {
        atHand.release()
      }
    },
  }
}

/** A turn that is handed on once, by whoever comes to that first: only the call knows what may still arrive. */
function onceReleased(turn: Turn): Turn {
  let isOver = false
  return {
    release(notBeforeMs) {
      if (!isOver) turn.release(notBeforeMs)
      isOver = true
    },
  }
}
