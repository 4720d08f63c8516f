import { expect, test } from 'vitest'
import { refuse } from '../../agent/call/answer.ts'
import { SingleFlight } from '../../agent/call/single-flight.ts'
import { watchTables } from './large-tables.ts'
import { worldActor } from './scheduler.ts'

const calls = 100

test('a large table is found by the line of the program that fills it, until it is empty again', async () => {
  const agent = worldActor('agent')
  using tables = watchTables({ actor: agent })
  const flights = new SingleFlight()
  const { promise: mayEnd, resolve: end } = Promise.withResolvers<void>()
  const answer = refuse('SHUTTING_DOWN')
  const run = (n: number) => flights.run(`id-${n}`, '', () => mayEnd.then(() => answer))
  const ended = Array.from({ length: calls }, (_, n) => run(n))
  expect(tables.findLarge(agent)).toMatch(/^agent\/call\/single-flight\.ts:/)
  expect(tables.findLarge(worldActor('another'))).toBeUndefined()
  end()
  await Promise.all(ended)
  expect(tables.findLarge(agent)).toBeUndefined()
})

test('a large table of the simulation itself does not count', () => {
  const agent = worldActor('agent')
  using tables = watchTables({ actor: agent })
  const own = new Set<number>()
  for (let n = 0; n < calls; n++) own.add(n)
  expect(tables.findLarge(agent)).toBeUndefined()
})
