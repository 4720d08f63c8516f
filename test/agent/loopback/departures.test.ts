import { expect, test } from 'vitest'
import { Departures } from '../../../agent/loopback/departures.ts'

const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve))

test('answers that get ready in one turn or the next leave together, in their order', async () => {
  const departures = new Departures()
  const left: string[] = []
  departures.add(() => left.push('a'))
  departures.add(() => left.push('b'))
  setImmediate(() => departures.add(() => left.push('c')))
  await nextTurn()
  expect(left).toEqual([])
  await nextTurn()
  await nextTurn()
  expect(left).toEqual(['a', 'b', 'c'])
})

test('an answer that is alone leaves in the turn in which it got ready', async () => {
  const departures = new Departures()
  const left: string[] = []
  departures.add(() => left.push('alone'))
  await nextTurn()
  expect(left).toEqual(['alone'])
})

test('nobody waits for more than a group of strangers', async () => {
  const departures = new Departures()
  let left = 0
  for (let n = 1; n <= 200; n++) {
    departures.add(() => left++)
    departures.add(() => left++)
    await nextTurn()
    expect(2 * n - left).toBeLessThanOrEqual(64)
  }
})
