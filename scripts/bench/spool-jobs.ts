import { randomUUID } from 'node:crypto'
import { readFileSync, renameSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { endlessCalls } from './work.ts'

/** A request as a file. */
export interface SpoolJob {
  /** `<id>.json`, in the outbox and in the inbox. */
  readonly name: string
  readonly text: string
}

/** Stock observations as files, without end, each about another item. */
export function* endlessJobs(): Generator<SpoolJob, never> {
  const run = randomUUID()
  const calls = endlessCalls('idempotent')
  for (let n = 0; ; n++) {
    const id = `job-${run}-${n}`
    const { operation, input } = calls.next().value
    yield { name: `${id}.json`, text: JSON.stringify({ id, action: operation, ...input }) }
  }
}

/**
 * Gives a request to a spool, as the documentation says: under another name first, then renamed.
 *
 * @returns When the rename began, by the monotonic clock.
 */
export function writeRequest(outbox: string, { name, text }: SpoolJob): number {
  const temporary = join(outbox, `.${name}.tmp`)
  writeFileSync(temporary, text)
  const startMs = performance.now()
  renameSync(temporary, join(outbox, name))
  return startMs
}

/**
 * Reads an answer and removes it, as a game server does.
 *
 * @param keepIn A directory to move it to instead.
 * @throws {Error} It is a refusal, or another request's.
 */
export function takeAnswer(inbox: string, name: string, keepIn?: string): void {
  const path = join(inbox, name)
  const text = readFileSync(path, 'utf8')
  const { id, ok } = JSON.parse(text) as { id: unknown; ok: unknown }
  if (ok !== true || `${id}.json` !== name) throw new Error(`${name} was answered with ${text.slice(0, 500)}`)
  if (keepIn === undefined) unlinkSync(path)
  else renameSync(path, join(keepIn, name))
}
