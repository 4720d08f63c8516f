import { expect, test } from 'vitest'
import { listingMoves } from '../../../contract/listing.ts'
import { transactionMoves, transactionPhases } from '../../../contract/transaction.ts'
import {
  listingMachine,
  narrowTransactionMachine,
  transactionMachine,
} from '../../../platform-stub/pages/console/machine.ts'
import {
  listingDrawing,
  narrowTransactionDrawing,
  transactionDrawing,
} from '../../../platform-stub/pages/console/machine-drawing.ts'
import { moveName } from '../../../platform-stub/pages/console/phase-view.ts'
import { en } from '../../../platform-stub/pages/texts/en.ts'
import { pt } from '../../../platform-stub/pages/texts/pt.ts'

test('the drawn machines have every state and every move of the contract’s tables, and no other', () => {
  expect(Object.keys(listingDrawing.states)).toEqual(Object.keys(listingMoves))
  for (const drawing of [transactionDrawing, narrowTransactionDrawing]) {
    expect(Object.keys(drawing.states).toSorted()).toEqual(Object.keys(transactionPhases).toSorted())
    expect(Object.keys(drawing.moves).toSorted()).toEqual(
      [
        ...leavingMoves(transactionMoves).filter((move) => !move.endsWith('where-it-was')),
        'disputed reject-dispute delivered',
        'disputed reject-dispute awaiting-server',
      ].toSorted(),
    )
  }
  expect(Object.keys(listingDrawing.moves)).toEqual(leavingMoves(listingMoves))
  expect(
    transactionMachine.states.flatMap(({ state, stays }) => stays.map((trigger) => `${state} ${trigger}`)),
  ).toEqual([
    'awaiting-server fail-temporary',
    'delivered deliver',
    'failed fail-out-of-stock',
    'completed deliver',
    'refunded-after-failure fail-out-of-stock',
  ])
})

test.each([transactionMachine, narrowTransactionMachine, listingMachine])(
  'in the $name machine that is $width px wide every line leads from its state to the next and runs under no other',
  ({ width, height, states, moves }) => {
    const isInside = (x: number, y: number, name?: string, margin = 0) =>
      states.some(
        (one) =>
          (name === undefined || one.state === name) &&
          Math.abs(x - one.x) < one.width / 2 + margin &&
          Math.abs(y - one.y) < one.height / 2 + margin,
      )
    for (const one of states) {
      for (const other of states.filter(({ state }) => state !== one.state)) {
        const isBeside = Math.abs(one.x - other.x) >= (one.width + other.width) / 2
        const isAbove = Math.abs(one.y - other.y) >= (one.height + other.height) / 2
        expect(isBeside || isAbove, `${one.state} and ${other.state}`).toBe(true)
      }
      expect([one.x + one.width / 2 + 8 <= width, one.y + one.height / 2 <= height], one.state).toEqual([true, true])
    }
    for (const { from, trigger, to, line, x, y } of moves) {
      const name = `${from} ${trigger} ${to}`
      const points = pointsOn(line)
      expect(
        points.filter((point) => isInside(...point)),
        name,
      ).toEqual([])
      const [start = [0, 0], end = [0, 0]] = [points.at(0), points.at(-1)]
      expect([isInside(...start, from, 1), isInside(...end, to, 1)], name).toEqual([true, true])
      for (const texts of [en, pt]) {
        const label = moveName(texts, trigger)
        // A line would be seen through the gap between two words.
        expect(label).not.toContain(' ')
        const halfLabel = label.length * 3.2
        expect(isInside(x - halfLabel, y) || isInside(x + halfLabel, y), `label of ${name} in ${texts.lang}`).toBe(
          false,
        )
      }
    }
  },
)

/** The moves of a table to another state: `from trigger to`. */
function leavingMoves(table: Readonly<Record<string, Readonly<Record<string, string | null>>>>): string[] {
  return Object.entries(table).flatMap(([from, row]) =>
    Object.entries(row).flatMap(([trigger, to]) => (to === null || to === from ? [] : [`${from} ${trigger} ${to}`])),
  )
}

/** A point for every pixel of a path of horizontal and vertical lines. */
function pointsOn(line: string): [x: number, y: number][] {
  const points: [number, number][] = []
  for (const [, command, first = '', second = ''] of line.matchAll(/([MHV])(\d+)(?: (\d+))?/g)) {
    const [x, y] = points.at(-1) ?? [Number(first), Number(second)]
    const [toX, toY] = command === 'H' ? [Number(first), y] : command === 'V' ? [x, Number(first)] : [x, y]
    const length = Math.max(Math.abs(toX - x), Math.abs(toY - y))
    for (let at = 0; at <= length; at++) points.push([x + Math.sign(toX - x) * at, y + Math.sign(toY - y) * at])
  }
  return points
}
