import { expect, test, vi } from 'vitest'
import { readCall } from '../../../agent/call/call.ts'
import { KeyQueues } from '../../../agent/call/key-queues.ts'
import { SingleFlight } from '../../../agent/call/single-flight.ts'
import { takeTurn } from '../../../agent/call/turn.ts'
import { goodInputs } from '../fixtures/test-agent.ts'
import { TestClock } from '../fixtures/test-clock.ts'

test('a report is as old as the moment at which it takes its turn, however long it waits, also in a file', () => {
  const operation = 'transaction.delivery-failure'
  const reading = readCall({ operation, input: goodInputs[operation], id: 'a' })
  if (!reading.ok) throw new Error(reading.messageText)
  const join = vi.fn()
  const turns = new KeyQueues(new TestClock())
  takeTurn(reading.call, { turns, singleFlight: new SingleFlight(), reports: { join } }, 7)
  expect(join.mock.calls).toEqual([[reading.call, 7]])
})
