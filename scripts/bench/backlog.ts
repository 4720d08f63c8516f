import { execFileSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { cpuSecondsOf } from './process-cpu.ts'
import { endlessJobs, takeAnswer, writeRequest } from './spool-jobs.ts'
import type { SpoolProgram } from './spool-program.ts'

/** How much of a backlog to have answered. */
export interface BacklogOrder {
  readonly files: number
  /** The measuring ends with this many answers. */
  readonly answers: number
}

/** How fast it went. */
export interface BacklogRun {
  readonly jobsPerS: number
  /** Null where it cannot be read. */
  readonly cpuUsPerJob: number | null
}

/** A quick reader, who takes little from the machine: seven answers at a time where 700 come in a second. */
const readIntervalMs = 10
const patienceMs = 30_000

/**
 * Stops the program (SIGSTOP), fills its outbox, lets it go on, and takes its answers as they come. A warm program that
 * finds a backlog: what it costs to start is not in the figure.
 *
 * @throws {Error} An answer was not ok, or none came for 30 s.
 */
export async function workOffBacklog(program: SpoolProgram, { files, answers }: BacklogOrder): Promise<BacklogRun> {
  process.kill(program.pid, 'SIGSTOP')
  fillOutbox(program, files)
  // What the filling left to be written would be waited for by the first sync of the program.
  execFileSync('sync')
  const cpuBeforeS = cpuSecondsOf(program.pid)
  const startMs = performance.now()
  process.kill(program.pid, 'SIGCONT')
  const taken = await takeAnswers(program, answers)
  const elapsedS = (performance.now() - startMs) / 1_000
  const cpuAfterS = cpuSecondsOf(program.pid)
  return {
    jobsPerS: taken / elapsedS,
    cpuUsPerJob: cpuBeforeS === null || cpuAfterS === null ? null : ((cpuAfterS - cpuBeforeS) * 1e6) / taken,
  }
}

/** The same without stopping it and without a figure. */
export async function warmUp(program: SpoolProgram, files: number): Promise<void> {
  fillOutbox(program, files)
  await takeAnswers(program, files)
}

function fillOutbox({ outbox }: SpoolProgram, files: number): void {
  const jobs = endlessJobs()
  for (let n = 0; n < files; n++) writeRequest(outbox, jobs.next().value)
}

/**
 * Answers are moved away and removed with everything at the end: see `spreadDirectories` for what removed files cost those
 * that are made after them.
 *
 * @returns How many were taken, which may be some more than were wanted.
 */
async function takeAnswers({ inbox, taken: keepIn }: SpoolProgram, wanted: number): Promise<number> {
  let taken = 0
  for (let lastMs = performance.now(); ; ) {
    for (const name of readdirSync(inbox)) {
      if (name.startsWith('.')) continue
      takeAnswer(inbox, name, keepIn)
      taken++
      lastMs = performance.now()
    }
    if (taken >= wanted) return taken
    if (performance.now() - lastMs > patienceMs) throw new Error(`${taken} answers of ${wanted}, then none for 30 s`)
    await wait(readIntervalMs)
  }
}
