import type { Slice } from './slice.ts'
import { quantile } from './statistics.ts'

/** One way under one load, in one round. */
export interface Cell {
  readonly callsPerS: number
  readonly p50Ms: number
  readonly p99Ms: number
  /** CPU of the signing process for each call; null where it cannot be read. */
  readonly cpuUsPerCall: number | null
  /** The same in signatures (S) that were made in place between the slices. */
  readonly cpuInSignatures: number | null
  /** How much of one core the load generator took: near 1, it is the generator that was measured. */
  readonly clientCores: number
}

/** Puts a round's slices of one way together. */
export function cellOf(slices: readonly Slice[]): Cell {
  const sum = (value: (slice: Slice) => number): number => slices.reduce((total, slice) => total + value(slice), 0)
  const latenciesMs = Float64Array.from(slices.flatMap((slice) => slice.latenciesMs)).sort()
  const calls = latenciesMs.length
  const elapsedS = sum((slice) => slice.elapsedS)
  const cpuWasRead = slices.every(({ cpuS }) => cpuS !== null)
  const cpuUsPerCall = cpuWasRead ? (sum(({ cpuS }) => cpuS ?? 0) * 1e6) / calls : null
  return {
    callsPerS: calls / elapsedS,
    p50Ms: quantile(latenciesMs, 0.5),
    p99Ms: quantile(latenciesMs, 0.99),
    cpuUsPerCall,
    cpuInSignatures: cpuUsPerCall && (cpuUsPerCall * slices.length) / sum(({ signatureUs }) => signatureUs),
    clientCores: sum(({ clientCpuS }) => clientCpuS) / elapsedS,
  }
}
