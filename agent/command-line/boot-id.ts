import { readFileSync } from 'node:fs'

/**
 * Tells the running system of this host from every other one, and from itself before it was started again. Empty where the
 * system has no such id.
 */
export function bootIdOf(path = '/proc/sys/kernel/random/boot_id'): string {
  try {
    return readFileSync(path, 'latin1').trim()
  } catch {
    return ''
  }
}
