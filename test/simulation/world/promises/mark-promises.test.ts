import { describe, expect, test } from 'vitest'
import { MarkPromises } from './mark-promises.ts'

function watched() {
  const broken: string[] = []
  const time = { startedMs: 0 }
  const marks = new MarkPromises({
    break: (promise) => void broken.push(promise),
    startedMs: () => time.startedMs,
    nowMs: () => time.startedMs,
  })
  return { broken, time, marks }
}

const call = { operation: 'market.adjust-stock', input: { itemRef: 'sword', observedQuantity: 3 } }

describe('the stock of a report is as old as', () => {
  test('a call that is under way', () => {
    const { broken, marks } = watched()
    marks.onTaken(call)
    marks.onObserved('sword', { quantity: 3, mark: 1 })
    expect(broken).toHaveLength(0)
    marks.onGiven(call)
    marks.onObserved('sword', { quantity: 3, mark: 2 })
    expect(broken).toHaveLength(1)
  })

  test('the ledger says, also if nothing is known there', () => {
    const { broken, marks } = watched()
    marks.onObservationRead({ quantity: 3, mark: 5 })
    marks.onObserved('sword', { quantity: 3, mark: 5 })
    marks.onObserved('sword', { quantity: 0, mark: 0 })
    expect(broken).toHaveLength(0)
    marks.onObserved('sword', { quantity: 3, mark: 6 })
    expect(broken).toHaveLength(1)
  })

  test('nothing that an earlier process has heard or read', () => {
    const { broken, time, marks } = watched()
    marks.onTaken(call)
    marks.onObservationRead({ quantity: 3, mark: 5 })
    time.startedMs = 1_000
    marks.onObserved('sword', { quantity: 3, mark: 5 })
    expect(broken).toHaveLength(1)
  })
})
