import { realpathSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'

/** Where a path leads when links are followed. A part at its end that does not exist yet is kept as it is written. */
export function realPathOf(path: string): string {
  const whole = resolve(path)
  try {
    return realpathSync(whole)
  } catch {
    const parent = dirname(whole)
    return parent === whole ? whole : join(realPathOf(parent), basename(whole))
  }
}
