import { expect, test } from 'vitest'
import { SharedSync } from '../../../agent/durable-files/shared-sync.ts'

/** Syncs that end when the test says so. */
function manualSyncs() {
  const begun: PromiseWithResolvers<void>[] = []
  const shared = new SharedSync(() => {
    const sync = Promise.withResolvers<void>()
    begun.push(sync)
    return sync.promise
  })
  return { shared, begun, settle: () => new Promise(setImmediate) }
}

const patiently = () => undefined

test('everyone who asks while a sync runs gets the next one, and it is one for all', async () => {
  const { shared, begun, settle } = manualSyncs()
  const first = shared.ask()
  await settle()
  const later = [shared.ask(), shared.ask(patiently), shared.ask()]
  await settle()
  expect(begun).toHaveLength(1)
  begun[0]?.resolve()
  await first
  await settle()
  expect(begun).toHaveLength(2)
  begun[1]?.resolve()
  await Promise.all(later)
  await settle()
  expect(begun).toHaveLength(2)
})

test('a caller that is in no hurry waits for one that is, or until its time is over', async () => {
  const { shared, begun, settle } = manualSyncs()
  void shared.ask(patiently)
  await settle()
  expect(begun).toHaveLength(0)
  void shared.ask()
  await settle()
  expect(begun).toHaveLength(1)
  begun[0]?.resolve()
  let timeIsOver: () => void = () => undefined
  void shared.ask((hasten) => (timeIsOver = hasten))
  await settle()
  expect(begun).toHaveLength(1)
  timeIsOver()
  await settle()
  expect(begun).toHaveLength(2)
})

test('after a sync that failed nothing is called durable any more', async () => {
  const { shared, begun, settle } = manualSyncs()
  const asked = shared.ask()
  await settle()
  const meanwhile = shared.ask()
  begun[0]?.reject(new Error('EIO'))
  for (const promise of [asked, meanwhile, shared.ask()]) await expect(promise).rejects.toThrow('EIO')
  expect(begun).toHaveLength(1)
})
