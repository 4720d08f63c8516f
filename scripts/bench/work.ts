import { randomUUID } from 'node:crypto'

/** A call as the game server writes it. */
export interface Call {
  readonly operation: string
  readonly input: Readonly<Record<string, unknown>>
}

/**
 * `idempotent`: stock observations. `mixed`: stock observations and eligibility, half and half. `once`: registrations,
 * which must never be repeated.
 */
export type Work = 'idempotent' | 'mixed' | 'once'

/** Calls without end, no two about the same item or character, in this process or any other. */
export function* endlessCalls(work: Work): Generator<Call, never> {
  const run = randomUUID()
  for (let n = 0; ; n++) {
    if (work === 'once') yield registration(`item-${run}-${n}`)
    else if (work === 'idempotent' || n % 2 === 0) yield stockObservation(`item-${run}-${n}`, n % 100)
    else yield { operation: 'market.eligibility', input: { characterRef: `character-${run}-${n}` } }
  }
}

function stockObservation(itemRef: string, observedQuantity: number): Call {
  return { operation: 'market.adjust-stock', input: { itemRef, observedQuantity } }
}

function registration(itemRef: string): Call {
  return {
    operation: 'market.register',
    input: {
      itemRef,
      gameItemId: 'sword-of-dawn',
      itemName: 'Espada da Aurora',
      attributes: 'Ataque +12, durabilidade 80/100',
      quantityListed: 3,
      unitAmountCents: 4_990,
      sellerCharacterRef: 'character-1001',
    },
  }
}

/**
 * Lets pass only what the platform answers to exactly this call, so that no answer counts that was made up on the way.
 *
 * @throws {Error} The answer is a refusal, or about something else.
 */
export function checkAnswer(call: Call, answer: unknown): void {
  const { ok, data } = answer as { ok: boolean; data: Record<string, unknown> | null }
  if (ok === true && expectedData[call.operation]?.(data, call)) return
  throw new Error(`${call.operation} was answered with ${JSON.stringify(answer)?.slice(0, 500)}`)
}

const expectedData: Record<string, (data: Record<string, unknown> | null, call: Call) => boolean> = {
  'market.adjust-stock': (data) => data === null,
  'market.eligibility': (data) => data?.['allowed'] === true,
  'market.register': (data, call) => data?.['itemRef'] === call.input['itemRef'],
}
