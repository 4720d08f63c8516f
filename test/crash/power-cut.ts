import { cpSync, existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { AgentHome, SpawnOptions } from '../agent/fixtures/agent-process.ts'

const hook = join(import.meta.dirname, 'hook', 'keep-synced.ts')

/** Starts an agent whose journal can lose what was not synced. */
export function spawnOnDisk(home: AgentHome): SpawnOptions {
  return { env: { POWER_CUT_DISK: diskOf(home) }, nodeArgs: ['--import', hook] }
}

/** Drops every write to the journal that was not synced. For after the end of the agent. */
export function cutPower(home: AgentHome): void {
  const [newest, next] = [join(diskOf(home), 'newest'), join(diskOf(home), 'newest.next')]
  const journal = join(home.stateDir, 'journal.db')
  for (const suffix of ['', '-wal', '-shm']) rmSync(`${journal}${suffix}`, { force: true })
  const copy = [next, newest].find((dir) => existsSync(dir))
  if (copy !== undefined) cpSync(copy, home.stateDir, { recursive: true })
}

const diskOf = ({ dir }: AgentHome) => join(dir, 'report-disk')
