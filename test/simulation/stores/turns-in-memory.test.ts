import { KeyQueues } from '../../../agent/call/key-queues.ts'
import { systemClock } from '../../../agent/clock/system-clock.ts'
import { testTurns } from './turns-contract.ts'

testTurns('in memory', async () =>
  Object.assign(new KeyQueues(systemClock), { [Symbol.asyncDispose]: async () => undefined }),
)
