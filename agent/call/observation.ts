/**
 * What is on its way to the platform for one item, and what the platform must have in the end. Times are monotonic, in ms.
 * Pure: time is a fact of the event.
 *
 * An attempt without an answer may still arrive until its envelope has expired. Nothing waits for it. So an older
 * observation can arrive late, and stay over a newer one: the newer one is then due and is sent again.
 */
export type Observation = Quiet | Sending | Due | Repairing

/** Nothing newer than what may still arrive late. So nothing is due. */
interface Quiet {
  readonly at: 'quiet'
  /** Until then an attempt may arrive late; 0 for none. */
  readonly lateUntilMs: number
}

/** A call is under way. It is the newest and may act from now on. */
interface Sending {
  readonly at: 'sending'
  readonly quantity: number
  /** What the platform got meanwhile by another way. The call may act after it. */
  readonly newer?: number | undefined
  /** Of older calls; 0 if none can arrive late. */
  readonly lateUntilMs: number
  /** What it was before, if this call has no effect. */
  readonly before: Quiet | Due
}

/** When nothing older can arrive any more, this quantity is sent again. */
interface Due {
  readonly at: 'due'
  readonly quantity: number
  readonly lateUntilMs: number
}

/** It is being sent again. The attempt itself may arrive late. */
interface Repairing {
  readonly at: 'repairing'
  readonly quantity: number
  readonly lateUntilMs: number
}

/** What happened to the call or the repair of an item. */
export type ObservationEvent =
  /** A call has its turn and is about to leave. */
  | { readonly kind: 'leave'; readonly quantity: number; readonly nowMs: number }
  | {
      readonly kind: 'end'
      /** `none`: it was refused, or certainly not sent. */
      readonly effect: 'acted' | 'in-doubt' | 'none'
      /** When its last attempt began. */
      readonly lastAttemptMs: number
      /** Until when one of its own attempts may arrive late; 0 for none. */
      readonly lateUntilMs: number
    }
  /** The platform got an observation by another way than a call of this key. */
  | { readonly kind: 'observe'; readonly quantity: number; readonly nowMs: number }
  /** The platform has an older observation in the place of this newest one. */
  | { readonly kind: 'overwritten'; readonly quantity: number; readonly nowMs: number }
  /** What was sent by another way, with an older quantity, may arrive until then. */
  | { readonly kind: 'expect-late'; readonly lateUntilMs: number }
  /** The repair has its turn and is about to leave. */
  | { readonly kind: 'repair'; readonly nowMs: number; readonly lateUntilMs: number }
  /** The platform accepted the repair, or refused it. */
  | { readonly kind: 'settle' }
  /** The repair has no result, or could not leave. */
  | { readonly kind: 'postpone'; readonly untilMs: number }

type Move<State, Kind> = (state: State, event: Extract<ObservationEvent, { kind: Kind }>) => Observation
type Moves = {
  readonly [At in Observation['at']]: {
    readonly [Kind in ObservationEvent['kind']]?: Move<Extract<Observation, { at: At }>, Kind>
  }
}

interface Late {
  readonly lateUntilMs: number
}

function latestOf(one: Late, other: Late): number {
  return Math.max(one.lateUntilMs, other.lateUntilMs)
}

function expectLate<State extends Late>(state: State, event: Late): State {
  return { ...state, lateUntilMs: latestOf(state, event) }
}

/** It must be sent again now: nothing that left before counts as the repair. */
function sendAgain(state: Late, { quantity, nowMs }: { readonly quantity: number; readonly nowMs: number }): Due {
  return { at: 'due', quantity, lateUntilMs: Math.max(state.lateUntilMs, nowMs + 1) }
}

/** Every move. An event that is not in the row of a state changes nothing there. */
export const observationMoves: Moves = {
  quiet: {
    'expect-late': expectLate,
    leave: (before, { quantity, nowMs }) => {
      const lateUntilMs = before.lateUntilMs > nowMs ? before.lateUntilMs : 0
      return { at: 'sending', quantity, lateUntilMs, before }
    },
    observe: (state, { quantity, nowMs }) =>
      state.lateUntilMs > nowMs ? { at: 'due', quantity, lateUntilMs: state.lateUntilMs } : state,
    overwritten: sendAgain,
  },
  sending: {
    'expect-late': (state, event) => ({ ...expectLate(state, event), before: expectLate(state.before, event) }),
    end: ({ quantity, newer, lateUntilMs, before }, { effect, ...call }) => {
      const latestMs = Math.max(lateUntilMs, call.lateUntilMs)
      if (effect === 'none') return { ...before, lateUntilMs: Math.max(before.lateUntilMs, call.lateUntilMs) }
      if (newer !== undefined) return { at: 'due', quantity: newer, lateUntilMs: latestMs }
      // Its own late attempts carry its own quantity, and an attempt after all that was late is the repair.
      const isNewest = lateUntilMs === 0 || (effect === 'acted' && call.lastAttemptMs >= lateUntilMs)
      return isNewest ? { at: 'quiet', lateUntilMs: call.lateUntilMs } : { at: 'due', quantity, lateUntilMs: latestMs }
    },
    observe: (state, { quantity }) => {
      const { lateUntilMs, before } = state
      const newer = quantity === state.quantity ? undefined : quantity
      return { ...state, newer, before: lateUntilMs === 0 ? before : { at: 'due', quantity, lateUntilMs } }
    },
    overwritten: (state, event) => {
      const { quantity, lateUntilMs } = sendAgain(state, event)
      const newer = quantity === state.quantity ? undefined : quantity
      return { ...state, newer, lateUntilMs, before: { at: 'due', quantity, lateUntilMs } }
    },
  },
  due: {
    'expect-late': expectLate,
    leave: (before, { quantity }) => ({ at: 'sending', quantity, lateUntilMs: before.lateUntilMs, before }),
    observe: (state, { quantity }) => ({ ...state, quantity }),
    overwritten: sendAgain,
    repair: ({ quantity, lateUntilMs }, event) =>
      lateUntilMs > event.nowMs
        ? { at: 'due', quantity, lateUntilMs }
        : { at: 'repairing', quantity, lateUntilMs: event.lateUntilMs },
    postpone: (state, { untilMs }) => ({ ...state, lateUntilMs: Math.max(state.lateUntilMs, untilMs) }),
  },
  repairing: {
    'expect-late': ({ quantity, ...state }, event) => ({ at: 'due', quantity, lateUntilMs: latestOf(state, event) }),
    observe: ({ lateUntilMs }, { quantity }) => ({ at: 'due', quantity, lateUntilMs }),
    overwritten: sendAgain,
    settle: () => ({ at: 'quiet', lateUntilMs: 0 }),
    postpone: ({ quantity }, { untilMs }) => ({ at: 'due', quantity, lateUntilMs: untilMs }),
  },
}

/** What follows from an event. Pure. */
export function moveObservation(state: Observation, event: ObservationEvent): Observation {
  const move = observationMoves[state.at][event.kind] as Move<Observation, ObservationEvent['kind']> | undefined
  return move ? move(state, event) : state
}

/** What a restart must know: the quantity to send again, and when. Undefined where it need not do anything. */
export function repairOf(state: Observation): { readonly quantity: number; readonly lateUntilMs: number } | undefined {
  if (state.at === 'quiet') return undefined
  const { quantity, lateUntilMs } = state
  if (state.at !== 'sending') return { quantity, lateUntilMs }
  if (lateUntilMs === 0 && state.newer === undefined) return undefined
  return { quantity: state.newer ?? quantity, lateUntilMs }
}
