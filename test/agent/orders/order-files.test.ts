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
  orderFiles.remove(message, true)
  expect(orderFiles.show(message, undefined)).toBe(false)

  isLocked = false
  expect(orderFiles.show(message, undefined)).toBe(true)
  orderFiles.tidy(() => true)
  expect([...events, ...replies]).toEqual([message.name])
})

test('a program that cannot list a directory is told a hundred names, orders before ends, the oldest first', () => {
  const numbers = Array.from({ length: 120 }, (_, n) => (n * 7) % 120)
  const named = (event: Message['event']) =>
    numbers.map((transactionId) => ({ event, transactionId, generation: 1, name: `${event}-${transactionId}` }))
  const events = () => [...named('transaction_terminal'), ...named('transfer_order').slice(0, 60)]
  const listedBy = (isChannel: boolean) => {
    const files = { ...noMessageFiles, events }
    const orderFiles = new OrderFiles({ files, isChannel, limitedLog: pino({ enabled: false }) })
    orderFiles.tidy(() => true)
    return orderFiles.listEvents()
  }
  const byAge = (name: string) => Number(name.replace(/\D+/g, ''))
  const orders = listedBy(true).slice(0, 60)
  expect(orders.every((name) => name.startsWith('transfer_order-'))).toBe(true)
  expect(orders.map(byAge)).toEqual(orders.map(byAge).toSorted((one, other) => one - other))
  expect(listedBy(true).slice(60)).toEqual(Array.from({ length: 40 }, (_, n) => `transaction_terminal-${n}.json`))
  expect(listedBy(false)).toEqual([])
})

test('the names that a program is told are those of the files that were shown and not removed', () => {
  let isGone = false
  const files = { ...noMessageFiles, makeDirs: () => isGone }
  const orderFiles = new OrderFiles({ files, isChannel: true, limitedLog: pino({ enabled: false }) })
  const [first, second] = [1, 2].map((transactionId) => {
    const message = { event: 'transfer_order', name: `transfer_order-${transactionId}`, transactionId } as Message
    orderFiles.show(message, undefined)
    return message
  }) as [Message, Message]
  expect(orderFiles.listEvents()).toEqual(['transfer_order-1.json', 'transfer_order-2.json'])
  orderFiles.remove(first, true)
  expect(orderFiles.listEvents()).toEqual(['transfer_order-2.json'])
  orderFiles.removeEvent(second)
  expect(orderFiles.listEvents()).toEqual([])
  orderFiles.show(second, undefined)
  isGone = true
  orderFiles.makeDirs()
  expect(orderFiles.listEvents()).toEqual([])
})

test('the reply to a message that ended without it stays, also when its event could not be removed at first', () => {
  const [events, replies] = [new Set(['transfer_order-7']), new Set(['transfer_order-7'])]
  let isLocked = true
  const removeEvent = (name: string) => {
    if (isLocked) throw Object.assign(new Error('EBUSY: resource busy or locked'), { code: 'EBUSY' })
    events.delete(name)
  }
  const files = { ...noMessageFiles, removeEvent, removeReply: (name: string) => void replies.delete(name) }
  const orderFiles = new OrderFiles({ files, isChannel: true, limitedLog: pino({ enabled: false }) })
  orderFiles.tidy(() => true)
  orderFiles.remove({ name: 'transfer_order-7', transactionId: 7 } as Message, false)
  isLocked = false
  orderFiles.tidy(() => true)
  expect([...events]).toEqual([])
  expect([...replies]).toEqual(['transfer_order-7'])
})

test('while an event cannot be written there is a problem, with one line in the log, and none when it is written or over', () => {
  let isReadOnly = true
  let attempts = 0
  const lines: unknown[] = []
  const show = () => {
    const path = `/spool/events/.${attempts++}.tmp`
    if (isReadOnly)
      throw Object.assign(new Error(`EACCES: permission denied, open '${path}'`), { code: 'EACCES', path })
  }
  const limitedLog = { warn: (line: unknown) => void lines.push(line) }
  const orderFiles = new OrderFiles({ files: { ...noMessageFiles, show }, isChannel: true, limitedLog })
  const [first, second] = [1, 2].map((id) => ({ name: `transfer_order-${id}`, transactionId: id }) as Message)
  const lookWithoutFailure = () => orderFiles.tidy(() => true)
  for (let attempt = 0; attempt < 3; attempt++) {
    for (const message of [first, second] as Message[]) expect(orderFiles.show(message, undefined)).toBe(false)
    for (let look = 0; look < 5; look++) lookWithoutFailure()
    expect(orderFiles.hasProblem).toBe(true)
  }
  expect(lines).toHaveLength(1)

  isReadOnly = false
  orderFiles.show(first as Message, undefined)
  orderFiles.remove(second as Message, false)
  lookWithoutFailure()
  lookWithoutFailure()
  expect(orderFiles.hasProblem).toBe(false)
})
