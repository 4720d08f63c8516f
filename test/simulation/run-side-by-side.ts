import { Worker } from 'node:worker_threads'
import { addCounts, type RowCounts } from './coverage.ts'
import type { Figures, SeedRange } from './run-seeds.ts'
import type { WorldOptions } from './world/whole-world.ts'

/** What a thread gets. */
export interface SeedWork extends Required<Pick<SeedRange, 'firstSeed' | 'step' | 'seconds' | 'twice'>> {
  readonly options: WorldOptions
  /** One number, which is not 0 when no thread may begin another run. */
  readonly calledOff: Int32Array<SharedArrayBuffer>
}

/** What a thread says in the end. */
export interface SeedResult extends Omit<Figures, 'failed'> {
  readonly failed: FailedSeed | undefined
  readonly rows: RowCounts
}

/** The first seed that broke a promise, and what is said about that. */
export interface FailedSeed {
  readonly seed: string
  readonly message: string
}

/**
 * Runs seeds of the whole world in several threads until one breaks a promise. With n threads, each takes every n-th seed. No
 * other run begins after the first that failed.
 *
 * @param range As for `runSeeds`. `twice` counts all threads together.
 * @throws {Error} As `runSeeds`, but an error has lost its class on the way.
 */
export async function runSideBySide(
  threads: number,
  { firstSeed, seconds, twice }: Pick<SeedRange, 'firstSeed' | 'seconds' | 'twice'>,
  options: WorldOptions,
): Promise<SeedResult> {
  const calledOff = new Int32Array(new SharedArrayBuffer(4))
  const works = Array.from({ length: threads }, (_, n) => ({
    ...{ firstSeed: firstSeed + n, step: threads, seconds, twice: Math.ceil(twice / threads), options, calledOff },
  }))
  return (await Promise.all(works.map(resultOf))).reduce(addResults)
}

function resultOf(work: SeedWork): Promise<SeedResult> {
  const worker = new Worker(new URL('seeds-thread.ts', import.meta.url), { workerData: work })
  const { promise, resolve, reject } = Promise.withResolvers<SeedResult>()
  worker.on('message', resolve).on('error', reject)
  worker.on('exit', (code) => reject(new Error(`a thread of seeds ended without a result (exit code ${code})`)))
  return promise
}

function addResults(one: SeedResult, other: SeedResult): SeedResult {
  addCounts(one.faultCounts, other.faultCounts)
  addCounts(one.rows, other.rows)
  return {
    runs: one.runs + other.runs,
    events: one.events + other.events,
    seconds: Math.max(one.seconds, other.seconds),
    faultCounts: one.faultCounts,
    rows: one.rows,
    failed: one.failed ?? other.failed,
  }
}
