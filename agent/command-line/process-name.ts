import { writeFileSync } from 'node:fs'

/**
 * Names the process for `top` and `ps`, which otherwise show the name of Node's main thread. Not by `process.title`: it
 * also overwrites the arguments, and with several agents on a host they say which is which.
 */
export function nameProcess(name: string): void {
  if (process.platform !== 'linux') return
  try {
    writeFileSync('/proc/self/comm', name)
  } catch {
    // Without /proc the process works under the other name.
  }
}
