import { readFileSync } from 'node:fs'

/** Linux counts CPU for other processes in ticks of 10 ms, on every architecture that Node runs on. */
const ticksPerS = 100

/** User and system CPU seconds of a process with all its threads; null where there is no /proc to read it from. */
export function cpuSecondsOf(pid: number): number | null {
  if (process.platform !== 'linux') return null
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
  // The second field, the name, may hold spaces and brackets, so fields are counted from its end: utime is number 14.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[14 - 3]) + Number(fields[15 - 3])) / ticksPerS
}
