import { performance } from 'node:perf_hooks'
import { Worker } from 'node:worker_threads'
import { addCounts, type RowCounts } from './coverage.ts'
import type { Figures, SeedRange } from './run-seeds.ts'
import type { WorldOptions } from './world/whole-world.ts'

/** What a thread gets. */
export interface SeedWork extends Required<Pick<SeedRange, 'firstSeed' | 'step' | 'seconds' | 'twice'>> {
  readonly options: WorldOptions
  /** One number, which is not 0 when no thread may begin another run. */
  readonly calledOff: Int32Array<SharedArrayBuffer>
  /** The seed that runs, and how many virtual seconds it has reached. */
  readonly reached: Float64Array<SharedArrayBuffer>
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
  /** It was stopped, so it cannot be explained by running it again. */
  readonly isEndless?: boolean
}

/** A program that loops for ever never lets the check of its world run, or never lets its time pass. */
const stillMsMax = 2 * 60_000
const lookIntervalMs = 5_000

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
    reached: new Float64Array(new SharedArrayBuffer(16)),
  }))
  return (await Promise.all(works.map(resultOf))).reduce(addResults)
}

function resultOf(work: SeedWork): Promise<SeedResult> {
  const worker = new Worker(new URL('seeds-thread.ts', import.meta.url), { workerData: work })
  const { promise, resolve, reject } = Promise.withResolvers<SeedResult>()
  const stopWatching = watch(work.reached, (seed) => {
    Atomics.store(work.calledOff, 0, 1)
    resolve(endlessRun(seed))
    void worker.terminate()
  })
  worker.on('message', resolve).on('error', reject)
  worker.on('exit', (code) => {
    stopWatching()
    reject(new Error(`a thread of seeds ended without a result (exit code ${code})`))
  })
  return promise
}

/** @param onStill Called with a seed whose time stands still. @returns Stops it. */
function watch(reached: SeedWork['reached'], onStill: (seed: string) => void): () => void {
  let before = ''
  let sinceMs = performance.now()
  const look = () => {
    const now = reached.join()
    if (now !== before) [before, sinceMs] = [now, performance.now()]
    else if (performance.now() - sinceMs > stillMsMax) onStill(String(reached[0]))
  }
  const timer = setInterval(look, lookIntervalMs)
  return () => clearInterval(timer)
}

/** The thread can no longer say what its runs came to. */
function endlessRun(seed: string): SeedResult {
  const message = `time passes in every run (in this one it stood still for ${stillMsMax / 60_000} minutes)`
  const failed = { seed, message, isEndless: true }
  return { runs: 0, events: 0, seconds: stillMsMax / 1_000, faultCounts: new Map(), rows: new Map(), failed }
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
