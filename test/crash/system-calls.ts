import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { AgentHome } from '../agent/fixtures/agent-process.ts'
import type { Injection, Point } from './points.ts'

/**
 * The system calls that SQLite makes on its files, which a hook in JavaScript cannot see, met through strace. `isLook`:
 * to be killed before one of them is to be killed before the next of the others.
 */
export const systemCalls: readonly { readonly call: string; readonly isLook: boolean }[] = [
  { call: 'openat', isLook: false },
  { call: 'pread64', isLook: true },
  { call: 'pwrite64', isLook: false },
  { call: 'fsync', isLook: false },
  { call: 'fdatasync', isLook: false },
  { call: 'ftruncate', isLook: false },
  { call: 'fcntl', isLook: true },
  { call: 'unlink', isLook: false },
]

/** Whether strace is there and may trace. */
export function canTrace(): boolean {
  return spawnSync('strace', ['-D', '-f', '-qq', '-o', '/dev/null', '--seccomp-bpf', 'true']).status === 0
}

/** By strace: the n-th such call on a file of SQLite's ends in the process's death, or fails. */
export function injectByStrace(home: AgentHome, { call, fault, nth, isLasting }: Point): Injection {
  const trace = join(home.dir, 'report-strace')
  const what = fault === 'kill' ? 'signal=KILL' : `error=${fault}`
  const wrapper = [
    'strace',
    // The agent stays the child, so that signals and its end are its own.
    '-D',
    ...['-f', '-q', '-o', trace],
    // Faster, but strace 6.1 then sends no signals.
    ...(fault === 'kill' ? [] : ['--seccomp-bpf']),
    ...databaseFiles(home).flatMap((file) => ['-P', file]),
    ...['-e', `trace=${call}`, '-e', `inject=${call}:${what}:when=${nth}${isLasting ? '+' : ''}`],
  ]
  const isInTrace = (pattern: RegExp) => existsSync(trace) && pattern.test(readFileSync(trace, 'utf8'))
  return {
    spawn: { wrapper },
    wasReached: () => isInTrace(fault === 'kill' ? /killed by SIGKILL/ : /\(INJECTED\)/),
  }
}

function databaseFiles({ stateDir, spoolDir }: AgentHome): string[] {
  const names = ['journal.db', 'journal.db.new', 'orders.db', 'orders.db.new', 'owner.lock'].flatMap((name) => [
    name,
    `${name}-wal`,
    `${name}-shm`,
    `${name}-journal`,
  ])
  return [...names.map((name) => join(stateDir, name)), join(spoolDir, 'owner.lock')]
}
