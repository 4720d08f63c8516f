import { execFileSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { cpuSecondsDuring } from '../machine/process-figures.ts'
import { endlessRequests, takeAnswer, writeRequest } from './requests.ts'
import type { SpoolProgram } from './spool-program.ts'

/** How fast a backlog was answered. */
export interface BacklogRun {
  readonly perS: number
  readonly cpuUs: number
}

/** Often enough, and little work: seven answers at a time where 700 come in a second. */
const readIntervalMs = 10
const answerTimeoutMs = 30_000

/**
 * Stops the program (SIGSTOP), fills its outbox, continues it, and reads its answers as they arrive. The start of the
 * program is not in the figure.
 *
 * @param answers The measurement ends with this many answers.
 * @throws {Error} An answer was not ok, or none came for 30 s.
 */
export async function workOffBacklog(program: SpoolProgram, files: number, answers: number): Promise<BacklogRun> {
  process.kill(program.pid, 'SIGSTOP')
  fillOutbox(program, files)
  // Otherwise the first sync of the program waits for everything that the filling wrote.
  execFileSync('sync')
  const startMs = performance.now()
  const { result: taken, cpuS } = await cpuSecondsDuring(program.pid, () => {
    process.kill(program.pid, 'SIGCONT')
    return takeAnswers(program, answers)
  })
  return { perS: taken / ((performance.now() - startMs) / 1_000), cpuUs: (cpuS * 1e6) / taken }
}

/** The same without stopping it and without a figure. */
export async function warmUpSpool(program: SpoolProgram, files: number): Promise<void> {
  fillOutbox(program, files)
  await takeAnswers(program, files)
}

function fillOutbox({ outbox }: SpoolProgram, files: number): void {
  for (const request of endlessRequests().take(files)) writeRequest(outbox, request)
}

/**
 * Moves the answers away; they are removed with everything at the end. See `spreadDirectories` for what removed files
 * cost those that are created after them.
 *
 * @returns The number of answers, which may be larger than `wanted`.
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
    if (performance.now() - lastMs > answerTimeoutMs)
      throw new Error(`${taken} answers of ${wanted}, then none for 30 s`)
    await wait(readIntervalMs)
  }
}
