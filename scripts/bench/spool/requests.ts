import { randomUUID } from 'node:crypto'
import { readFileSync, renameSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { endlessCalls } from '../platform/calls.ts'

/** A request as a file: `<id>.json`, in the outbox and in the inbox. */
export interface RequestFile {
  readonly name: string
  readonly text: string
}

/** Stock observations as files without end, each about another item. */
export function* endlessRequests(): Generator<RequestFile, never> {
  for (const calls = endlessCalls('stock'); ; ) {
    const [id, { operation, input }] = [randomUUID(), calls.next().value]
    yield { name: `${id}.json`, text: JSON.stringify({ id, action: operation, ...input }) }
  }
}

/** Writes a request under another name first and renames it. @returns When the rename began, monotonic. */
export function writeRequest(outbox: string, { name, text }: RequestFile): number {
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
 * @throws {Error} It is a refusal, or the answer to another request.
 */
export function takeAnswer(inbox: string, name: string, keepIn?: string): void {
  const path = join(inbox, name)
  const text = readFileSync(path, 'utf8')
  const { id, ok } = JSON.parse(text) as { id: unknown; ok: unknown }
  if (ok !== true || `${id}.json` !== name) throw new Error(`${name} was answered with ${text.slice(0, 500)}`)
  if (keepIn === undefined) unlinkSync(path)
  else renameSync(path, join(keepIn, name))
}
