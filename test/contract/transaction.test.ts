import { expect, test } from 'vitest'
import {
  deliveryStatuses,
  nextPhase,
  type PhaseFields,
  paymentStatuses,
  phaseOf,
  type TransactionPhase,
  type TransactionTrigger,
  terminalOutcome,
  transactionPhases,
  transactionTriggers,
} from '../../contract/transaction.ts'

// Written from interface section 3 and docs/decisions/0009, not from the code.

const at = '2026-01-01T00:00:00Z'

/** A record in each phase, as a response would carry it. */
const records: Record<TransactionPhase, PhaseFields> = {
  'awaiting-payment': { paymentStatus: 'AGUARDANDO_PAGAMENTO', deliveryStatus: null },
  'awaiting-server': { paymentStatus: 'PAGO', deliveryStatus: 'AGUARDANDO_SERVIDOR' },
  delivered: { paymentStatus: 'PAGO', deliveryStatus: 'ENTREGUE', deliveredAt: at, completedAt: null },
  completed: { paymentStatus: 'PAGO', deliveryStatus: 'ENTREGUE', deliveredAt: at, completedAt: at },
  failed: { paymentStatus: 'PAGO', deliveryStatus: 'FALHOU' },
  disputed: { paymentStatus: 'PAGO', deliveryStatus: 'EM_DISPUTA' },
  'refunded-after-failure': { paymentStatus: 'ESTORNADO', deliveryStatus: 'FALHOU' },
  'refunded-after-dispute': { paymentStatus: 'ESTORNADO', deliveryStatus: 'EM_DISPUTA' },
  expired: { paymentStatus: 'EXPIRADO', deliveryStatus: null },
  cancelled: { paymentStatus: 'CANCELADO', deliveryStatus: null },
}
const phases = Object.keys(records) as TransactionPhase[]

/** Columns: what each trigger does in a phase; `-` is refused, `=` stays, `?` goes back to where it was. */
const expectations = `
                        pay              expire   cancel    deliver    fail-out-of-stock fail-temporary dispute   reject-dispute refund                  complete
awaiting-payment        awaiting-server  expired  cancelled -          -                 -              -         -              -                       -
awaiting-server         -                -        -         delivered  failed            =              disputed  -              -                       -
delivered               -                -        -         =          -                 -              disputed  -              -                       completed
completed               -                -        -         =          -                 -              -         -              -                       -
failed                  -                -        -         -          =                 -              -         -              refunded-after-failure  -
disputed                -                -        -         -          -                 -              -         ?              refunded-after-dispute  -
refunded-after-failure  -                -        -         -          =                 -              -         -              -                       -
refunded-after-dispute  -                -        -         -          -                 -              -         -              -                       -
expired                 -                -        -         -          -                 -              -         -              -                       -
cancelled               -                -        -         -          -                 -              -         -              -                       -
`

interface Expectation {
  readonly from: TransactionPhase
  readonly trigger: TransactionTrigger
  readonly to: TransactionPhase | '?' | undefined
}

function expected(): Expectation[] {
  const [head = '', ...rows] = expectations.trim().split('\n')
  const triggers = head.trim().split(/\s+/) as TransactionTrigger[]
  return rows.flatMap((row) => {
    const [from, ...cells] = row.split(/\s+/) as [TransactionPhase, ...string[]]
    return triggers.map((trigger, column) => {
      const cell = cells[column]
      const to = cell === '-' ? undefined : cell === '=' ? from : (cell as TransactionPhase | '?')
      return { from, trigger, to }
    })
  })
}

test('the table of expectations names every phase and every trigger', () => {
  expect(new Set(expected().map(({ from }) => from))).toEqual(new Set(Object.keys(transactionPhases)))
  expect(new Set(expected().map(({ trigger }) => trigger))).toEqual(new Set(transactionTriggers))
  expect(expected().length).toBe(100)
})

test('every trigger in every phase leads where the interface says, or is refused', () => {
  for (const { from, trigger, to } of expected()) {
    if (to === '?') continue
    expect(nextPhase(records[from], trigger), `${trigger} in ${from}`).toBe(to)
  }
})

test('a rejected dispute returns to where it was', () => {
  const { disputed } = records
  expect(expected().filter(({ to }) => to === '?')).toEqual([{ from: 'disputed', trigger: 'reject-dispute', to: '?' }])
  expect(nextPhase(disputed, 'reject-dispute')).toBe('awaiting-server')
  expect(nextPhase({ ...disputed, deliveredAt: null }, 'reject-dispute')).toBe('awaiting-server')
  expect(nextPhase({ ...disputed, deliveredAt: at }, 'reject-dispute')).toBe('delivered')
})

test('phases and status pairs are one to one, completedAt telling completed from delivered', () => {
  for (const phase of phases) expect(phaseOf(records[phase]), phase).toBe(phase)
  for (const phase of phases) {
    const { paymentStatus, deliveryStatus } = transactionPhases[phase]
    expect({ paymentStatus, deliveryStatus }).toEqual({
      paymentStatus: records[phase].paymentStatus,
      deliveryStatus: records[phase].deliveryStatus,
    })
  }
  const known: string[] = []
  for (const paymentStatus of paymentStatuses) {
    for (const deliveryStatus of [null, ...deliveryStatuses]) {
      for (const completedAt of [undefined, null, at]) {
        const phase = phaseOf({ paymentStatus, deliveryStatus, completedAt })
        if (phase) known.push(phase)
      }
    }
  }
  // 8 pairs mean the same with any completedAt; delivered is seen twice and completed once.
  expect(known.length).toBe(8 * 3 + 3)
  expect(new Set(known).size).toBe(10)
})

test('a pair that the interface does not know is not a phase, moves nowhere and ends nothing', () => {
  const pairs: [string, string | null][] = [
    ['PAGO', null],
    ['AGUARDANDO_PAGAMENTO', 'ENTREGUE'],
    ['ESTORNADO', 'ENTREGUE'],
    ['ESTORNADO', 'AGUARDANDO_SERVIDOR'],
    ['ESTORNADO', null],
    ['EXPIRADO', 'FALHOU'],
    ['CANCELADO', 'EM_DISPUTA'],
    ['pago', 'ENTREGUE'],
    ['PAGO', 'entregue'],
    ['', ''],
    ['__proto__', 'constructor'],
  ]
  for (const [paymentStatus, deliveryStatus] of pairs) {
    expect(phaseOf({ paymentStatus, deliveryStatus }), `${paymentStatus}/${deliveryStatus}`).toBeUndefined()
    expect(terminalOutcome(paymentStatus, deliveryStatus)).toBeNull()
    for (const trigger of transactionTriggers)
      expect(nextPhase({ paymentStatus, deliveryStatus }, trigger)).toBeUndefined()
  }
})

test('the terminal outcome follows from the pair, as section 3 lists it', () => {
  const outcomes = {
    'PAGO/ENTREGUE': 'CONCLUIDA',
    'ESTORNADO/FALHOU': 'ESTORNADA',
    'ESTORNADO/EM_DISPUTA': 'ESTORNADA',
    'EXPIRADO/null': 'EXPIRADA',
    'CANCELADO/null': 'CANCELADA',
  }
  for (const paymentStatus of paymentStatuses) {
    for (const deliveryStatus of [null, ...deliveryStatuses]) {
      const pair = `${paymentStatus}/${deliveryStatus}`
      const outcome = (outcomes as Record<string, string | undefined>)[pair] ?? null
      expect(terminalOutcome(paymentStatus, deliveryStatus), pair).toBe(outcome)
    }
  }
})
