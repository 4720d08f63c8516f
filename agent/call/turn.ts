import type { CallReports } from './answer-call.ts'
import { type Call, orderKeyOf, type PlatformCall } from './call.ts'
import type { SingleFlight } from './single-flight.ts'

/**
 * A call's position among the calls with the same key. They are sent one after another in the order in which they
 * joined, so that an older observation never overtakes a newer one.
 */
export interface Turn {
  /** Whether an earlier call of this agent with the same key is not over yet. */
  mustWait(): Promise<boolean>
  /**
   * Resolves to true when every earlier call of this agent is over, or to false at the deadline (monotonic ms). It does not
   * join the queue of the other agents. It never throws.
   */
  waitInAgent(deadlineMs: number): Promise<boolean>
  /**
   * As `waitInAgent`, for the earlier calls of every agent.
   *
   * @throws {StoreUnreachableError} The turn is kept in a store that cannot be asked. The call must not be sent.
   */
  wait(deadlineMs: number): Promise<boolean>
  /** Gives up the position, whether the turn has come or not. A second release does nothing. */
  release(): void
}

/** The turn of a call that waits for no other. */
export const freeTurn: Turn = {
  mustWait: async () => false,
  waitInAgent: async () => true,
  wait: async () => true,
  release: () => undefined,
}

/** The turns of all calls that must not overtake each other. The port is narrow, so that a store for several hosts can keep them. */
export interface Turns {
  /** Number of calls of this agent that wait for an earlier call with their key. */
  readonly waiting: number
  /**
   * Takes the next position of a key: now, or when the turn is first waited for. Turns that this agent takes come in the
   * order in which it took them.
   */
  take(key: string, when: 'join-now' | 'join-later'): Turn
}

/**
 * Takes the turn of a call when it arrives. Both interfaces do this first, and pass the turn to `answerCall`.
 *
 * A call whose id is under way will share that answer, so it joins the queue only if it has to be sent after all.
 *
 * @param mark As `CallReports.join`.
 */
export function takeTurn(
  call: Call,
  deps: { readonly turns: Turns; readonly singleFlight: SingleFlight; readonly reports: Pick<CallReports, 'join'> },
  mark?: number,
): Turn {
  if (call.operation.kind === 'platform') deps.reports.join(call as PlatformCall, mark)
  const key = orderKeyOf(call)
  if (key === undefined) return freeTurn
  const isShared = call.id !== undefined && deps.singleFlight.find(call.id) !== undefined
  return deps.turns.take(key, isShared ? 'join-later' : 'join-now')
}
