import { expect, test } from 'vitest'
import { moveObservation, type Observation, type ObservationEvent, repairOf } from '../../../agent/call/observation.ts'

const nowMs = 100
const quiet = { at: 'quiet', lateUntilMs: 0 } as const
/** 5 was lost and may arrive until 130. */
const exposed = { at: 'quiet', lateUntilMs: 130 } as const
const due = { at: 'due', quantity: 3, lateUntilMs: 130 } as const
const overdue = { at: 'due', quantity: 3, lateUntilMs: 90 } as const
const alone = { at: 'sending', quantity: 2, lateUntilMs: 0, before: quiet } as const
const afterLost = { at: 'sending', quantity: 2, lateUntilMs: 130, before: exposed } as const
const afterDue = { at: 'sending', quantity: 2, lateUntilMs: 130, before: due } as const
const repairing = { at: 'repairing', quantity: 3, lateUntilMs: 132 } as const

const leave = { kind: 'leave', quantity: 2, nowMs } as const
const accepted = { kind: 'end', effect: 'acted', lastAttemptMs: 100, lateUntilMs: 0 } as const
const acceptedLater = { ...accepted, lastAttemptMs: 130 } as const
const lost = { kind: 'end', effect: 'in-doubt', lastAttemptMs: 100, lateUntilMs: 140 } as const
const refused = { kind: 'end', effect: 'none', lastAttemptMs: 100, lateUntilMs: 0 } as const
const observe = { kind: 'observe', quantity: 1, nowMs } as const
const overwritten = { kind: 'overwritten', quantity: 1, nowMs } as const
const repair = { kind: 'repair', nowMs, lateUntilMs: 132 } as const
const settle = { kind: 'settle' } as const
const late = { kind: 'expect-late', lateUntilMs: 135 } as const
const postpone = { kind: 'postpone', untilMs: 164 } as const

const moves: readonly (readonly [string, Observation, ObservationEvent, Observation])[] = [
  ['a call leaves where nothing is late', quiet, leave, alone],
  [
    'a call leaves after what was late has expired',
    { ...exposed, lateUntilMs: 99 },
    leave,
    { ...alone, before: { ...exposed, lateUntilMs: 99 } },
  ],
  ['a call leaves at once although one may arrive late', exposed, leave, afterLost],
  ['a call leaves while a repair is due', due, leave, afterDue],
  ['only accepted', alone, accepted, quiet],
  ['only lost: there is nothing newer', alone, lost, { ...quiet, lateUntilMs: 140 }],
  ['accepted after a lost one', afterLost, accepted, { at: 'due', quantity: 2, lateUntilMs: 130 }],
  ['lost after a lost one: the newest is in doubt', afterLost, lost, { at: 'due', quantity: 2, lateUntilMs: 140 }],
  ['refused after a lost one', afterLost, refused, exposed],
  ['accepted while a repair is due', afterDue, accepted, { at: 'due', quantity: 2, lateUntilMs: 130 }],
  ['accepted by an attempt after all that was late', afterDue, acceptedLater, quiet],
  ['refused while a repair is due', afterDue, refused, due],
  ['observed in another way where nothing is late', quiet, observe, quiet],
  ['observed in another way after a lost one', exposed, observe, { ...due, quantity: 1 }],
  ['observed in another way while a repair is due', due, observe, { ...due, quantity: 1 }],
  ['observed in another way during the repair', repairing, observe, { at: 'due', quantity: 1, lateUntilMs: 132 }],
  [
    'observed in another way during a call',
    afterLost,
    observe,
    { ...afterLost, newer: 1, before: { ...due, quantity: 1 } },
  ],
  ['only observed in another way during a call', alone, observe, { ...alone, newer: 1 }],
  ['the same observed in another way during a call', { ...alone, newer: 1 }, { ...observe, quantity: 2 }, alone],
  ['accepted after something newer', { ...alone, newer: 1 }, accepted, { at: 'due', quantity: 1, lateUntilMs: 0 }],
  ['lost after something newer', { ...alone, newer: 1 }, lost, { at: 'due', quantity: 1, lateUntilMs: 140 }],
  ['refused after something newer', { ...alone, newer: 1 }, refused, quiet],
  [
    'accepted after all that was late, and after something newer',
    { ...afterLost, newer: 1 },
    acceptedLater,
    { at: 'due', quantity: 1, lateUntilMs: 130 },
  ],
  ['overwritten where nothing is late', quiet, overwritten, { at: 'due', quantity: 1, lateUntilMs: 101 }],
  ['overwritten while one may arrive late', exposed, overwritten, { ...due, quantity: 1 }],
  ['overwritten while a repair is due', due, overwritten, { ...due, quantity: 1 }],
  ['overwritten during the repair', repairing, overwritten, { at: 'due', quantity: 1, lateUntilMs: 132 }],
  [
    'overwritten during a call of the same quantity',
    alone,
    { ...overwritten, quantity: 2 },
    { ...alone, newer: undefined, lateUntilMs: 101, before: { at: 'due', quantity: 2, lateUntilMs: 101 } },
  ],
  [
    'overwritten during a call of another quantity',
    alone,
    overwritten,
    { ...alone, newer: 1, lateUntilMs: 101, before: { at: 'due', quantity: 1, lateUntilMs: 101 } },
  ],
  ['an older one may arrive by another way', quiet, late, { ...quiet, lateUntilMs: 135 }],
  [
    'an older one may arrive by another way, and nothing later than before',
    exposed,
    { ...late, lateUntilMs: 1 },
    exposed,
  ],
  ['an older one may arrive by another way before the repair', due, late, { ...due, lateUntilMs: 135 }],
  ['an older one may arrive by another way after the repair', repairing, late, { ...due, lateUntilMs: 135 }],
  [
    'an older one may arrive by another way after the call',
    alone,
    late,
    { ...alone, lateUntilMs: 135, before: { ...quiet, lateUntilMs: 135 } },
  ],
  ['a repair before its time', due, repair, due],
  ['a repair in its time', overdue, repair, repairing],
  ['a repair of what a newer call has settled', quiet, repair, quiet],
  ['a repair is accepted or refused', repairing, settle, quiet],
  ['a repair is lost', repairing, postpone, { at: 'due', quantity: 3, lateUntilMs: 164 }],
  ['a repair could not leave', overdue, postpone, { at: 'due', quantity: 3, lateUntilMs: 164 }],
  ['the repair ends after something newer was observed', due, settle, due],
]

for (const [name, state, event, expected] of moves) {
  test(`${name}: ${state.at} becomes ${expected.at}`, () => {
    expect(moveObservation(state, event)).toEqual(expected)
  })
}

test('a restart must know each quantity that is to be sent again, and no other', () => {
  const states: Observation[] = [quiet, exposed, alone, afterLost, afterDue, due, repairing]
  expect(states.map((state) => repairOf(state)?.quantity)).toEqual([undefined, undefined, undefined, 2, 2, 3, 3])
})
