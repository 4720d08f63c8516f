import { expect, test } from 'vitest'
import {
  attributes,
  listingMoves,
  listingRegistration,
  listingStatuses,
  listingTriggers,
} from '../../contract/listing.ts'

// Written from interface sections 2, 3 and 4 and docs/decisions/0009, not from the code.

test('every trigger in every status leads where the interface says', () => {
  const expectations = [
    ['ACTIVE', 'ADJUST_STOCK', 'ACTIVE'],
    ['ACTIVE', 'WITHDRAW', 'WITHDRAWN'],
    ['WITHDRAWN', 'ADJUST_STOCK', null],
    ['WITHDRAWN', 'WITHDRAW', 'WITHDRAWN'],
  ] as const
  expect(expectations.length).toBe(listingStatuses.length * listingTriggers.length)
  for (const [status, trigger, to] of expectations)
    expect(listingMoves[status][trigger], `${trigger} in ${status}`).toBe(to)
})

test('nothing brings a withdrawn listing back', () => {
  for (const trigger of listingTriggers) expect(listingMoves.WITHDRAWN[trigger]).not.toBe('ACTIVE')
})

test('attributes are 1 to 255 characters, a character outside the basic plane counting once', () => {
  for (const text of ['a', ' ', 'é'.repeat(255), '🗡'.repeat(255), `${'a'.repeat(254)}🗡`]) {
    expect(attributes.safeParse(text).success, `${[...text].length} characters`).toBe(true)
  }
  for (const text of ['', 'a'.repeat(256), '🗡'.repeat(256), `${'a'.repeat(255)}🗡`]) {
    expect(attributes.safeParse(text).success, `${[...text].length} characters`).toBe(false)
  }
})

test('a registration wants every field of section 4.2, whole and positive numbers, and lets others pass', () => {
  const whole = {
    itemRef: 'item-1',
    gameItemId: 'sword',
    itemName: 'Espada élfica',
    attributes: '+7',
    quantityListed: 1,
    unitAmountCents: 1,
    sellerCharacterRef: 'Zé',
  }
  const accepts = (input: unknown) => listingRegistration.safeParse(input).success
  expect(accepts(whole)).toBe(true)
  expect(listingRegistration.parse({ ...whole, note: { deep: [1] } })).toEqual({ ...whole, note: { deep: [1] } })
  for (const field of Object.keys(whole)) {
    for (const wrong of [undefined, null, '', [], {}, true, Number.NaN]) {
      expect(accepts({ ...whole, [field]: wrong }), `${field}: ${JSON.stringify(wrong)}`).toBe(false)
    }
  }
  for (const wrong of [0, -1, 1.5, 2 ** 53, '1']) {
    expect(accepts({ ...whole, quantityListed: wrong }), `quantityListed ${wrong}`).toBe(false)
    expect(accepts({ ...whole, unitAmountCents: wrong }), `unitAmountCents ${wrong}`).toBe(false)
  }
})
