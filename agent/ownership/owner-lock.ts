import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/** Another live agent owns a directory. */
export class HeldError extends Error {
  override readonly name = 'HeldError'
  readonly dir: string
  readonly holder: string

  constructor(dir: string, holder: string) {
    super(`${dir} is held by another market-agent (${holder})`)
    this.dir = dir
    this.holder = holder
  }
}

/** The right to be the only live agent that works in a directory. */
export interface Ownership {
  release(): void
}

const sqliteBusy = 5

/**
 * Takes a directory for this process. The lock is the operating system's, held through an open database: it ends with
 * the process however that ends, and no clock can end it before.
 *
 * @param mode Of the directory, where it has to be made.
 * @throws {HeldError} Another live process has it.
 */
export function takeOwnership(dir: string, holder: string, mode: number): Ownership {
  mkdirSync(dir, { recursive: true, mode })
  const db = new DatabaseSync(join(dir, 'owner.lock'), { timeout: 0 })
  try {
    db.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE')
  } catch (error) {
    db.close()
    if ((error as { errcode?: number }).errcode !== sqliteBusy) throw error
    throw new HeldError(dir, holderOf(dir))
  }
  writeFileSync(join(dir, 'owner.json'), JSON.stringify({ holder }))
  return {
    release() {
      try {
        rmSync(join(dir, 'owner.json'), { force: true })
      } catch {
        // The lock is what counts; the next owner writes its own name.
      }
      db.close()
    },
  }
}

function holderOf(dir: string): string {
  try {
    return String((JSON.parse(readFileSync(join(dir, 'owner.json'), 'utf8')) as { holder: unknown }).holder)
  } catch {
    return 'which is just starting or stopping'
  }
}
