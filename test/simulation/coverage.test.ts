import { expect, test } from 'vitest'
import { countLookups, countMoves, type RowCounts } from './coverage.ts'

test('each row of a table that a program looks up is counted, and so are those that it never does', () => {
  const table = { open: { close: { to: 'closed' } }, closed: { open: { to: 'open' }, close: { to: 'closed' } } }
  const counts: RowCounts = new Map()
  countLookups('door', table, 2, counts)
  const next = (phase: keyof typeof table) => table[phase].close.to
  expect([next('open'), next('open'), next('closed')]).toEqual(['closed', 'closed', 'closed'])
  expect(Object.fromEntries(counts)).toEqual({
    'door: open: close': 2,
    'door: closed: open': 0,
    'door: closed: close': 1,
  })
})

test('each move of things with a state is counted', () => {
  class Doors {
    readonly #at = new Map<string, string>()
    at(name: string): string {
      return this.#at.get(name) ?? 'new'
    }
    set(name: string, at: string): number {
      return this.#at.set(name, at).size
    }
  }
  const counts: RowCounts = new Map()
  countMoves('door', Doors.prototype, 'set', (doors, name, at) => [doors.at(name), at], counts)
  const doors = new Doors()
  expect([doors.set('front', 'open'), doors.set('back', 'open'), doors.set('front', 'closed')]).toEqual([1, 2, 2])
  expect(doors.at('front')).toBe('closed')
  expect(Object.fromEntries(counts)).toEqual({ 'door: new → open': 2, 'door: open → closed': 1 })
})
