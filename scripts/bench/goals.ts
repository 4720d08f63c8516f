import type { FigureName } from './figures.ts'

/** Finds a figure of one round. NaN: this run did not measure it. */
export type FigureOf = (name: FigureName, contender: string, load: string) => number

/** What a figure, or a ratio of two, should reach. A goal that is missed is a figure too, not an error. */
export interface Goal {
  readonly title: string
  readonly bound: 'at least' | 'at most'
  readonly wanted: number
  /** Its value in one round. Both sides of a ratio come from the same round. */
  readonly value: Value
}

type Value = (figureOf: FigureOf) => number
/** A figure's contender and load. */
type At = readonly [contender: string, load: string]

const goal =
  (bound: Goal['bound']) =>
  (wanted: number, title: string, value: Value): Goal => ({ title, bound, wanted, value })
/** The median of the rounds should be this or more. */
export const atLeast = goal('at least')
/** The median of the rounds should be this or less. */
export const atMost = goal('at most')

/** The figure itself. */
export function figure(name: FigureName, at: At): Value {
  return (figureOf) => figureOf(name, ...at)
}

/** The figure of the first divided by that of the second. */
export function ratio(name: FigureName, over: At, under: At): Value {
  return (figureOf) => figureOf(name, ...over) / figureOf(name, ...under)
}

/** The figure of the first less that of the second. */
export function difference(name: FigureName, minuend: At, subtrahend: At): Value {
  return (figureOf) => figureOf(name, ...minuend) - figureOf(name, ...subtrahend)
}
