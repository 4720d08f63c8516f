import type { RunningProgram } from '../../child-program.ts'
import { cpuSecondsOf } from '../process-cpu.ts'
import { quantile } from '../statistics.ts'
import { slicesIn, startingAt } from '../taking-turns.ts'
import type { ContenderName } from './contenders.ts'
import { type Driven, drive } from './drive.ts'
import { type BenchGameServer, readyRequests, type StubWork } from './ready-requests.ts'

/** One contender under one load, in one round. */
export interface LoadCell {
  readonly requestsPerS: number
  readonly p50Ms: number
  readonly p99Ms: number
  /** CPU of the server for each request; null where it cannot be read. */
  readonly cpuUsPerRequest: number | null
  /** How much of a core the load generator took: near 1, it is the generator that was measured. */
  readonly clientCores: number
}

export interface LoadOrder {
  readonly work: StubWork
  readonly inFlight: number
  readonly secondsPerCell: number
}

export type Contenders = Readonly<Record<ContenderName, RunningProgram>>

interface Slice extends Driven {
  readonly serverCpuS: number | null
  readonly clientCpuS: number
}

/** A slice of so many requests for each second of it: the slower contenders take about that long. */
const requestsPerSlicedS = 5_000
const warmUpShare = 0.1

/** Loads all contenders in turns with the very same requests, signed between the turns. */
export async function loadInTurns(
  contenders: Contenders,
  { work, inFlight, secondsPerCell }: LoadOrder,
  server: BenchGameServer,
): Promise<Record<ContenderName, LoadCell>> {
  const slices: Record<ContenderName, Slice[]> = { stub: [], memory: [], prism: [] }
  const turns = slicesIn(secondsPerCell)
  const count = Math.ceil((secondsPerCell / turns) * requestsPerSlicedS)
  for (let turn = 0; turn < turns; turn++) {
    const requests = await readyRequests(work, Math.ceil(count * (1 + warmUpShare)), server)
    for (const name of startingAt(turn, ['stub', 'memory', 'prism'] as const)) {
      slices[name].push(await sliceOf(contenders[name], requests, inFlight))
    }
  }
  return { stub: cellOf(slices.stub), memory: cellOf(slices.memory), prism: cellOf(slices.prism) }
}

async function sliceOf({ url, pid }: RunningProgram, requests: readonly Buffer[], inFlight: number): Promise<Slice> {
  const warmUpCount = Math.floor((requests.length * warmUpShare) / (1 + warmUpShare))
  await drive(url, requests.slice(0, warmUpCount), inFlight)
  const serverBeforeS = cpuSecondsOf(pid)
  const clientBefore = process.cpuUsage()
  const driven = await drive(url, requests.slice(warmUpCount), inFlight)
  const client = process.cpuUsage(clientBefore)
  const serverAfterS = cpuSecondsOf(pid)
  return {
    ...driven,
    serverCpuS: serverBeforeS === null || serverAfterS === null ? null : serverAfterS - serverBeforeS,
    clientCpuS: (client.user + client.system) / 1e6,
  }
}

function cellOf(slices: readonly Slice[]): LoadCell {
  const sum = (value: (slice: Slice) => number): number => slices.reduce((total, slice) => total + value(slice), 0)
  const latenciesMs = Float64Array.from(slices.flatMap((slice) => slice.latenciesMs)).sort()
  const elapsedS = sum((slice) => slice.elapsedS)
  const wasRead = slices.every(({ serverCpuS }) => serverCpuS !== null)
  return {
    requestsPerS: latenciesMs.length / elapsedS,
    p50Ms: quantile(latenciesMs, 0.5),
    p99Ms: quantile(latenciesMs, 0.99),
    cpuUsPerRequest: wasRead ? (sum(({ serverCpuS }) => serverCpuS ?? 0) * 1e6) / latenciesMs.length : null,
    clientCores: sum(({ clientCpuS }) => clientCpuS) / elapsedS,
  }
}
