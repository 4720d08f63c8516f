import { randomUUID } from 'node:crypto'

/** A call as the game server writes it. */
export interface Call {
  readonly operation: string
  readonly input: Readonly<Record<string, unknown>>
}

/**
 * `stock`: `market.adjust-stock`. `eligibility`: `market.eligibility`. `mixed`: both in turns. `once`: `market.register`.
 */
export type Work = 'stock' | 'eligibility' | 'mixed' | 'once'

/** What is listed, without who sells it and its `itemRef`. */
export const offer = {
  gameItemId: 'sword-of-dawn',
  itemName: 'Espada da Aurora',
  attributes: 'Ataque +12, durabilidade 80/100',
  quantityListed: 3,
  unitAmountCents: 4_990,
}

/** Calls without end. No two are about the same item or character, in this process or another. */
export function* endlessCalls(work: Work): Generator<Call, never> {
  const run = randomUUID()
  for (let n = 0; ; n++) {
    const itemRef = `item-${run}-${n}`
    if (work === 'once') {
      yield { operation: 'market.register', input: { ...offer, itemRef, sellerCharacterRef: 'character-1001' } }
    } else if (work === 'stock' || (work === 'mixed' && n % 2 === 0)) {
      yield { operation: 'market.adjust-stock', input: { itemRef, observedQuantity: n % 100 } }
    } else yield { operation: 'market.eligibility', input: { characterRef: `character-${run}-${n}` } }
  }
}

const isExpected: Record<string, (data: Record<string, unknown> | null, call: Call) => boolean> = {
  'market.adjust-stock': (data) => data === null,
  'market.eligibility': (data) => data?.['allowed'] === true,
  'market.register': (data, call) => data?.['itemRef'] === call.input['itemRef'],
}

/** True for the platform's answer to this call. @throws {Error} The answer is a refusal, or about something else. */
export function checkAnswer(call: Call, answer: unknown): true {
  const { ok, data } = answer as { ok: boolean; data: Record<string, unknown> | null }
  if (ok === true && isExpected[call.operation]?.(data, call)) return true
  throw new Error(`${call.operation} was answered with ${JSON.stringify(answer)?.slice(0, 500)}`)
}
