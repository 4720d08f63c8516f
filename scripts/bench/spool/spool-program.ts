import { mkdirSync, mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { ownProgram, type Testbed } from '../platform/testbed.ts'

/** A program that works on a spool of its own. */
export interface SpoolProgram extends AsyncDisposable {
  readonly name: string
  readonly pid: number
  readonly outbox: string
  readonly inbox: string
  /** For answers that were read and are not removed yet. */
  readonly taken: string
}

/** The name of the worker that polls. */
export const simpleWorker = 'simple worker: every 200 ms, jose, fetch'

/** Starts the worker that polls. */
export function startSimpleWorker(testbed: Testbed): Promise<SpoolProgram> {
  return startSpoolProgram(simpleWorker, ownProgram('simple-spool-worker.ts'), testbed)
}

/** Starts a program on a new spool, with a new state directory. */
export async function startSpoolProgram(
  name: string,
  command: readonly string[],
  testbed: Testbed,
): Promise<SpoolProgram> {
  const dir = mkdtempSync(join(testbed.dir, 'spool-'))
  const [spool, taken] = [join(dir, 'spool'), join(dir, 'taken')]
  const [outbox, inbox] = [join(spool, 'outbox'), join(spool, 'inbox')]
  for (const folder of [outbox, inbox, taken]) mkdirSync(folder, { recursive: true })
  const env = { SERVICE_SPOOL_DIR: spool, SERVICE_STATE_DIR: join(dir, 'state') }
  const program = await testbed.start('spool-program', command, env)
  const { pid } = program
  return { name, pid, outbox, inbox, taken, [Symbol.asyncDispose]: () => program[Symbol.asyncDispose]() }
}
