import { expect, test } from 'vitest'
import { WaitedForPromises } from './waited-for-promises.ts'

function watched() {
  const broken: string[] = []
  const time = { nowMs: 0, startedMs: 0 }
  const store = { isFull: false }
  const promises = new WaitedForPromises({
    ...{ break: (promise) => void broken.push(promise), store, callDeadlineMs: () => 9_000 },
    ...{ nowMs: () => time.nowMs, startedMs: () => time.startedMs },
  })
  /** A call that is answered after a while with "another one is under way". */
  const refuseAfter = (ms: number) => {
    const call = { operation: 'character.link', id: 'character.link-1' }
    promises.onTaken(call)
    time.nowMs += ms
    promises.onGiven(call, '{"ok":false,"code":"CALL_UNDER_WAY"}')
  }
  return { broken, time, store, promises, refuseAfter }
}

test('an equal call must be waited for until the deadline', () => {
  const { broken, refuseAfter } = watched()
  refuseAfter(8_500)
  expect(broken).toHaveLength(0)
  refuseAfter(7_000)
  expect(broken).toHaveLength(1)
})

test('nothing is waited for while the store is full', () => {
  const { broken, store, refuseAfter } = watched()
  store.isFull = true
  refuseAfter(10)
  expect(broken).toHaveLength(0)
})

test('a call of a process that has died is not the one that waits', () => {
  const { broken, time, promises, refuseAfter } = watched()
  promises.onTaken({ operation: 'character.link', id: 'character.link-1' })
  time.nowMs = time.startedMs = 60_000
  refuseAfter(10)
  expect(broken).toHaveLength(1)
})
