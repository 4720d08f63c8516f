/** Every figure that a section may measure, in the order of the columns: its heading and the digits shown. */
export const figures = {
  perS: { title: 'per second', digits: 0 },
  calls: { title: 'calls', digits: 0 },
  lost: { title: 'lost', digits: 0 },
  roundTrips: { title: 'round trips', digits: 2 },
  claimMs: { title: 'claim, ms', digits: 2 },
  answerMs: { title: 'answer, ms', digits: 2 },
  p50Ms: { title: 'p50, ms', digits: 2 },
  p99Ms: { title: 'p99, ms', digits: 2 },
  cpuS: { title: 'CPU each, S', digits: 2 },
  cpuUs: { title: 'CPU each, µs', digits: 0 },
  clientCores: { title: 'client, cores', digits: 2 },
  startMs: { title: 'first answer, ms', digits: 0 },
  idlePercent: { title: 'CPU, % of a core', digits: 2 },
  memoryMb: { title: 'memory, MB', digits: 0 },
} as const

/** The name of a figure. */
export type FigureName = keyof typeof figures

/** What was measured. NaN: this machine cannot measure it. */
export type Figures = { readonly [Name in FigureName]?: number }

/** One contender under one load in one round. */
export interface Cell {
  readonly round: number
  readonly load: string
  readonly contender: string
  readonly figures: Figures
}

/** Median, smallest and largest of the values. */
export function spreadOf(values: readonly number[]): { median: number; min: number; max: number } {
  return { median: quantileOf(values, 0.5), min: quantileOf(values, 0), max: quantileOf(values, 1) }
}

/** The value below which this share of the values lies; between two values, their mean. */
export function quantileOf(values: readonly number[], share: number): number {
  const sorted = Float64Array.from(values).sort()
  const at = (sorted.length - 1) * share
  return ((sorted[Math.floor(at)] ?? Number.NaN) + (sorted[Math.ceil(at)] ?? Number.NaN)) / 2
}

/** The median of each figure. */
export function mediansOf(samples: readonly Figures[]): Figures {
  const names = Object.keys(samples[0] ?? {}) as FigureName[]
  const median = (name: FigureName): number => spreadOf(samples.map((sample) => sample[name] ?? Number.NaN)).median
  return Object.fromEntries(names.map((name) => [name, median(name)]))
}
