import fc from 'fast-check'
import { expect, test } from 'vitest'
import { CallReader } from '../../../agent/loopback/call-reader.ts'

const callText = fc
  .record({
    operation: fc.constantFrom('market.adjust-stock', 'market.eligibility', 'nothing.like-it', 7),
    input: fc.constantFrom({}, { itemRef: 'a', observedQuantity: 1 }, { observedQuantity: 1, itemRef: 'a' }, 'none'),
    id: fc.constantFrom(undefined, 'id-1', 'id-2', 'x'.repeat(256), 'x'.repeat(255)),
  })
  .map((members) => JSON.stringify(members))
const texts = fc.array(fc.oneof(callText, fc.constant('{"id":1,"id":1}'), fc.constant('no JSON')), { size: '+1' })

test('a text is read as if it were the first, whatever was read before', () => {
  fc.assert(
    fc.property(texts, (all) => {
      const reader = new CallReader()
      for (const text of all) expect(reader.read(text)).toEqual(new CallReader().read(text))
    }),
  )
})

test('a repeated text is the same call, and the same input in another order has the same fingerprint', () => {
  const reader = new CallReader()
  const read = (input: string) => {
    const reading = reader.read(`{"id":"a","operation":"market.adjust-stock","input":${input}}`)
    if (!reading.ok) throw new Error(reading.message)
    return reading.call
  }
  const first = read('{"itemRef":"i","observedQuantity":1}')
  expect(read('{"itemRef":"i","observedQuantity":1}')).toBe(first)
  const other = read('{"observedQuantity":1,"itemRef":"i"}')
  expect(other).not.toBe(first)
  expect(other.fingerprint).toBe(first.fingerprint)
})
