import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startProgram } from '../child-program.ts'
import type { Testbed } from './testbed.ts'

/** A program that works on a spool of its own. Disposing ends it and removes its files. */
export interface SpoolProgram extends AsyncDisposable {
  readonly pid: number
  readonly outbox: string
  readonly inbox: string
  /** For answers that were taken and are not removed yet. */
  readonly taken: string
}

/** Starts a program on a new spool, with a new memory. */
export async function startSpoolProgram(
  name: string,
  command: readonly string[],
  testbed: Testbed,
): Promise<SpoolProgram> {
  const dir = mkdtempSync(join(testbed.dir, `${name}-`))
  const spool = join(dir, 'spool')
  const [outbox, inbox] = [join(spool, 'outbox'), join(spool, 'inbox')]
  const [taken, state] = [join(dir, 'taken'), join(dir, 'state')]
  mkdirSync(outbox, { recursive: true })
  mkdirSync(inbox)
  mkdirSync(taken)
  mkdirSync(state, { mode: 0o700 })
  const program = await startProgram({
    name,
    command,
    env: { ...testbed.agentEnv, SERVICE_SPOOL_DIR: spool, SERVICE_STATE_DIR: state },
    logFile: join(dir, 'log'),
  })
  return {
    pid: program.pid,
    outbox,
    inbox,
    taken,
    [Symbol.asyncDispose]: async () => {
      await program[Symbol.asyncDispose]()
      rmSync(dir, { recursive: true, force: true, maxRetries: 10 })
    },
  }
}

/** The worker that polls. */
export function startSimpleSpoolWorker(testbed: Testbed): Promise<SpoolProgram> {
  const file = fileURLToPath(import.meta.resolve('./simple-spool-worker.ts'))
  return startSpoolProgram('simple-spool-worker', [process.execPath, file], testbed)
}
