import { readFileSync } from 'node:fs'

/** Linux counts the CPU of other processes in ticks of 10 ms, on every architecture that Node runs on. */
const ticksPerS = 100

/** User and system CPU seconds of a process with all its threads; NaN where there is no /proc. */
function cpuSecondsOf(pid: number): number {
  if (process.platform !== 'linux') return Number.NaN
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
  // The second field is the name and may contain spaces, so count from its end: utime is field 14.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[14 - 3]) + Number(fields[15 - 3])) / ticksPerS
}

/** CPU seconds of a process while `work` runs. */
export async function cpuSecondsDuring<Result>(
  pid: number,
  work: () => Promise<Result>,
): Promise<{ result: Result; cpuS: number }> {
  const before = cpuSecondsOf(pid)
  const result = await work()
  return { result, cpuS: cpuSecondsOf(pid) - before }
}

/** Resident memory of a process in MB (10⁶ bytes); NaN where there is no /proc. */
export function memoryMbOf(pid: number): number {
  if (process.platform !== 'linux') return Number.NaN
  const status = readFileSync(`/proc/${pid}/status`, 'latin1')
  return (Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1_024) / 1e6
}
