import { join } from 'node:path'
import { dirUnusable } from '../durable-files/dir-unusable.ts'
import type { Files } from '../durable-files/files.ts'
import { readBounded } from '../durable-files/read-bounded.ts'
import { replaceFile } from '../durable-files/replace-file.ts'

const idForm = /^[0-9a-f]{32}$/

/**
 * Tells the state directory from every other one. Its owner is the only agent with it. A file that a power cut has damaged
 * is replaced: then the agent before counts as another one, whose lease must run out.
 *
 * @throws {DirUnusableError} It cannot be read or written.
 */
export function stateIdOf(files: Files, stateDir: string): string {
  const path = join(stateDir, 'store-id')
  try {
    return readId(files, path) ?? makeId(files, path)
  } catch (error) {
    throw dirUnusable('SERVICE_STATE_DIR', path, error)
  }
}

function readId(files: Files, path: string): string | undefined {
  const read = readBounded(files, path)
  const known = typeof read === 'string' ? '' : read.bytes.toString('latin1')
  return idForm.test(known) ? known : undefined
}

function makeId(files: Files, path: string): string {
  const id = files.newName()
  replaceFile(files, path, id, 0o600)
  return id
}
