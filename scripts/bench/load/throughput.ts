import { compare } from '../compare.ts'
import { type Cell, type Figures, quantileOf } from '../figures.ts'
import { cpuSecondsDuring } from '../machine/process-figures.ts'
import { measureSignatureUs } from '../machine/signature-cost.ts'
import type { BenchSettings } from '../section.ts'
import type { LoopResult, Pace } from './closed-loop.ts'

/** What is compared takes turns of this length. */
const sliceS = 0.4
const warmUpS = 0.1

/** A contender under load for a moment. */
interface Slice extends LoopResult {
  /** S, directly before and after: the speed of the machine changes within a second. */
  readonly signatureUs: number
  /** CPU of the measured process. */
  readonly cpuS: number
  /** All answers, those of the warm-up included. */
  readonly answered: number
}

/** What is compared by the load that it bears. */
export interface ThroughputComparison<Contender, Row> {
  readonly settings: BenchSettings
  readonly contenders: readonly Contender[]
  readonly loads: readonly Row[]
  /** @throws {Error} A call was not answered as it should be. */
  readonly run: (contender: Contender, load: Row, pace: Pace) => Promise<LoopResult>
  /** Runs a slice and checks it. */
  readonly prove?: (slice: () => Promise<Slice>) => Promise<Slice>
}

/** Calls per second, latencies and CPU of all contenders under all loads, in turns. */
export function compareThroughput<
  Contender extends { name: string; pid: number },
  Row extends { name: string; inFlight: number },
>(comparison: ThroughputComparison<Contender, Row>): Promise<Cell[]> {
  const { settings, contenders, loads, run, prove = (slice) => slice() } = comparison
  const turns = Math.max(1, Math.round(settings.secondsPerCell / sliceS))
  const seconds = settings.secondsPerCell / turns
  return compare({
    ...settings,
    contenders,
    loads,
    turns,
    warmUp: true,
    measure: (contender, load) =>
      prove(() =>
        measureSlice(contender.pid, { inFlight: load.inFlight, seconds }, (pace) => run(contender, load, pace)),
      ),
    merge: mergeSlices,
  })
}

/** Warms up, then measures. */
async function measureSlice(pid: number, pace: Pace, run: (pace: Pace) => Promise<LoopResult>): Promise<Slice> {
  const signatureBeforeUs = measureSignatureUs()
  const warmUp = await run({ ...pace, seconds: warmUpS })
  const { result, cpuS } = await cpuSecondsDuring(pid, () => run(pace))
  return {
    ...result,
    signatureUs: (signatureBeforeUs + measureSignatureUs()) / 2,
    cpuS,
    answered: warmUp.latenciesMs.length + result.latenciesMs.length,
  }
}

/** The figures of a cell. */
function mergeSlices(slices: readonly Slice[]): Figures {
  const sum = (value: (slice: Slice) => number): number => slices.reduce((total, slice) => total + value(slice), 0)
  const latenciesMs = slices.flatMap((slice) => slice.latenciesMs)
  const elapsedS = sum((slice) => slice.elapsedS)
  const cpuUs = (sum(({ cpuS }) => cpuS) * 1e6) / latenciesMs.length
  return {
    perS: latenciesMs.length / elapsedS,
    p50Ms: quantileOf(latenciesMs, 0.5),
    p99Ms: quantileOf(latenciesMs, 0.99),
    cpuS: (cpuUs * slices.length) / sum(({ signatureUs }) => signatureUs),
    cpuUs,
    clientCores: sum(({ clientCpuS }) => clientCpuS) / elapsedS,
  }
}
