import fs from 'node:fs'

/**
 * Counts the storage and socket calls of an agent, and at the one that is due kills the process or says with which error
 * the call must fail. Told by the environment:
 *
 * - `CRASH_FAULT`: `kill`, `power-cut` (which kills too), or the code of an error.
 * - `CRASH_CALL`, `CRASH_NTH`: the call that is due, as `rename claim in outbox`, and which of them, from 1. Without a
 *   call all are listed and none fails.
 * - `CRASH_LASTING`: `1` when every call after it fails too.
 * - `CRASH_ROOT`: the files that count lie below.
 * - `CRASH_REPORT`: the file that takes the list, or says that the call was reached.
 */
const environment = process.env
const fault = environment['CRASH_FAULT'] ?? 'kill'
const dueCall = environment['CRASH_CALL'] ?? ''
const dueNth = Number(environment['CRASH_NTH'] ?? 1)
const isLasting = environment['CRASH_LASTING'] === '1'
const reportFile = environment['CRASH_REPORT'] ?? ''

export const root = environment['CRASH_ROOT'] ?? '/nowhere'
export const isKilling = fault === 'kill' || fault === 'power-cut'

/** The code of the error that calls fail with. */
export const errorCode = fault

const { writeFileSync } = fs
const list: string[] = []
const counts = new Map<string, number>()
let last = ''
let isReached = false

/** What only looks leaves everything as it is: to be killed before it is to be killed before the next change. */
const looksOnly =
  /^(?:stat|lstat|exists|realpath|readdir|opendir|read|readFile|open|watch|prepare|get|all|open database|open to look) /

/**
 * Counts a call.
 *
 * @param where What it is about.
 * @returns The error that it must fail with, if any.
 */
export function point(call: string, where: string): NodeJS.ErrnoException | undefined {
  const name = `${call} ${where}`
  if (isKilling && looksOnly.test(name)) return undefined
  // One name of a directory is read like the next, and one block of the ballast written like the next.
  const isOneMore = name === last && (looksOnly.test(name) || where === 'ballast')
  last = name
  if (!isOneMore) count(name)
  if (!(isLasting ? isReached : isDue(name) && !isOneMore)) return undefined
  if (isKilling) {
    process.kill(process.pid, 'SIGKILL')
    for (;;);
  }
  return Object.assign(new Error(`${fault}: injected, ${call}`), { code: fault, syscall: call })
}

function count(name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1)
  if (dueCall === '') list.push(name)
  else if (isDue(name) && !isReached) {
    isReached = true
    writeFileSync(reportFile, 'reached')
  }
}

function isDue(name: string): boolean {
  return name === dueCall && counts.get(name) === dueNth
}

/** For calls that are over in one: a process may die directly after them too. */
export function pointAfter(call: string, where: string): void {
  if (isKilling) point(call, `${where}, after`)
}

process.on('exit', () => {
  if (dueCall === '') writeFileSync(reportFile, JSON.stringify(list))
})
