import { readFileSync } from 'node:fs'

/** Resident memory of a process in MB (10⁶ bytes); null where there is no /proc to read it from. */
export function memoryMbOf(pid: number): number | null {
  if (process.platform !== 'linux') return null
  const status = readFileSync(`/proc/${pid}/status`, 'latin1')
  return (Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1_024) / 1e6
}
