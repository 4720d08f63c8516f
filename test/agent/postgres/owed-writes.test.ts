import { expect, test } from 'vitest'
import { StoreFullError, StoreNotAskedError, StoreUnreachableError } from '../../../agent/database/store-errors.ts'
import { OwedWrites } from '../../../agent/postgres/owed-writes.ts'
import { TestClock } from '../fixtures/test-clock.ts'

/** Writes to a store that may be away. */
function owing() {
  const done: string[] = []
  const fatal: Error[] = []
  const store: { problem: Error | undefined } = { problem: new StoreUnreachableError('away') }
  const owed = new OwedWrites(new TestClock(), (error) => fatal.push(error))
  const write = (what: string) => async () => {
    if (store.problem) throw store.problem
    done.push(what)
  }
  return { done, fatal, store, owed, write }
}

test('what is owed is done once, also if it is asked for several times at one moment', async () => {
  const { owed } = owing()
  const { promise: ended, resolve: end } = Promise.withResolvers<void>()
  let begun = 0
  owed.owe('x', () => {
    begun++
    return ended
  })
  const payments = [owed.pay(), owed.pay()]
  end()
  await Promise.all(payments)
  await owed.pay()
  expect(begun).toBe(1)
})

test('everything that is owed under one name is done, in order, and before anything new', async () => {
  const { done, store, owed, write } = owing()
  await expect(owed.write('x', write('1'))).rejects.toThrow('away')
  await expect(owed.write('x', write('2'), write('2 later'))).rejects.toThrow(StoreNotAskedError)
  store.problem = undefined
  await expect(owed.write('x', write('3'))).rejects.toThrow('an earlier write is not done yet')
  expect(done).toEqual([])
  await owed.pay()
  expect(done).toEqual(['1', '2 later', '3'])
  await owed.write('x', write('4'))
  expect(done.at(-1)).toBe('4')
})

test('what can never be done is reported. The writes owed after it are done', async () => {
  const { done, fatal, store, owed, write } = owing()
  store.problem = undefined
  owed.owe('x', async () => {
    owed.owe('x', write('after'))
    throw new Error('a bug')
  })
  await owed.pay()
  expect([fatal.map(({ message }) => message), done]).toEqual([['a bug'], ['after']])
})

test('a store that is full still does what needs no room', async () => {
  const { done, store, owed, write } = owing()
  owed.owe('x', async () => {
    throw new StoreFullError('53100', undefined)
  })
  owed.owe('y', write('y'))
  store.problem = undefined
  await owed.pay()
  expect(done).toEqual(['y'])
  expect([owed.has('x'), owed.has('y')]).toEqual([true, false])
})

test('what was asked for is given back only if it may have been done', async () => {
  const { owed } = owing()
  let given = 0
  const fail = (error: Error) =>
    owed.ask(
      () => Promise.reject(error),
      () => given++,
    )
  await expect(fail(new StoreNotAskedError('away'))).rejects.toThrow('away')
  await expect(fail(new StoreFullError('53100', undefined))).rejects.toThrow()
  expect(given).toBe(0)
  await expect(fail(new StoreUnreachableError('no answer'))).rejects.toThrow()
  expect(given).toBe(1)
})
