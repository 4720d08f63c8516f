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

/** What a thread says. */
export type ThreadMessage =
  | { readonly kind: 'begins'; readonly seed: string }
  | { readonly kind: 'ended'; readonly result: SeedResult }

/** What came of the seeds of a thread. */
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

/** A run takes seconds, and a minute with a shared store. */
export const runMsMax = 5 * 60_000

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
  let [seed, runs] = ['', 0]
  // A program that turns in a circle never lets the check of its world run.
  const endless = setTimeout(() => {
    Atomics.store(work.calledOff, 0, 1)
    resolve(endlessRun(seed, runs))
    void worker.terminate()
  }, runMsMax)
  worker.on('message', (message: ThreadMessage) => {
    endless.refresh()
    if (message.kind === 'begins') [seed, runs] = [message.seed, runs + 1]
    else resolve(message.result)
  })
  worker.on('error', reject)
  worker.on('exit', (code) => {
    clearTimeout(endless)
    reject(new Error(`a thread of seeds ended without a result (exit code ${code})`))
  })
  return promise
}

/** Nobody knows how far the last run came, nor what the runs before it were. */
function endlessRun(seed: string, runs: number): SeedResult {
  const message = `every run ends (this one was stopped after ${runMsMax / 60_000} minutes)`
  const failed = { seed, message, isEndless: true }
  return { runs, events: 0, seconds: runMsMax / 1_000, faultCounts: new Map(), rows: new Map(), failed }
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
