import { realpathSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'

/** Where a path leads when links are followed. What is not there yet at its end is taken as it is written. */
export function realPathOf(path: string): string {
  const whole = resolve(path)
  try {
    return realpathSync(whole)
  } catch {
    const parent = dirname(whole)
    return parent === whole ? whole : join(realPathOf(parent), basename(whole))
  }
}
