import { pino } from 'pino'
import { expect, test } from 'vitest'
import type { Message } from '../../../agent/orders/message.ts'
import { OrderFiles } from '../../../agent/orders/order-files.ts'
import { noMessageFiles } from '../fixtures/no-message-files.ts'

test('a later message of a name whose files are locked is shown and stays when they are gone', () => {
  const [events, replies] = [new Set<string>(), new Set<string>()]
  let isLocked = true
  const remove = (names: Set<string>) => (name: string) => {
    if (isLocked) throw Object.assign(new Error('EBUSY: resource busy or locked'), { code: 'EBUSY' })
    names.delete(name)
  }
  const orderFiles = new OrderFiles({
    files: {
      ...noMessageFiles,
      show: ({ name }) => void events.add(name),
      removeEvent: remove(events),
      removeReply: remove(replies),
    },
    isChannel: true,
    limitedLog: pino({ enabled: false }),
  })
  const message = { name: 'transaction_terminal-7', transactionId: 7 } as Message
  orderFiles.tidy(() => false)
  expect(orderFiles.show(message, undefined)).toBe(true)
  replies.add(message.name)
  orderFiles.remove(message)
  expect(orderFiles.show(message, undefined)).toBe(false)

  isLocked = false
  expect(orderFiles.show(message, undefined)).toBe(true)
  orderFiles.tidy(() => true)
  expect([...events, ...replies]).toEqual([message.name])
})

test('a program that cannot list a directory is told the hundred oldest names', () => {
  const numbers = Array.from({ length: 120 }, (_, n) => (n * 7) % 120)
  const events = () => numbers.map((transactionId) => ({ name: `transfer_order-${transactionId}`, transactionId }))
  const waitingBy = (isChannel: boolean) =>
    new OrderFiles({ files: { ...noMessageFiles, events }, isChannel, limitedLog: pino({ enabled: false }) }).waiting()
  expect(waitingBy(true)).toEqual(Array.from({ length: 100 }, (_, n) => `transfer_order-${n}.json`))
  expect(waitingBy(false)).toEqual([])
})
