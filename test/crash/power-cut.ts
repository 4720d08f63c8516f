import { cpSync, existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { AgentHome, SpawnOptions } from '../agent/fixtures/agent-process.ts'

const hook = join(import.meta.dirname, 'hook', 'keep-synced.ts')

/** Starts an agent whose databases can lose what was not synced. */
export function spawnOnDisk(home: AgentHome): SpawnOptions {
  return { env: { POWER_CUT_DISK: diskOf(home) }, nodeArgs: ['--import', hook] }
}

/** Drops every write to the databases that was not synced. For after the end of the agent. */
export function cutPower(home: AgentHome): void {
  for (const database of ['journal.db', 'orders.db']) {
    const newest = join(diskOf(home), database)
    const copy = [`${newest}.next`, newest].find((dir) => existsSync(dir))
    // A database that was not opened yet has no copy: it was made synced.
    if (copy === undefined) continue
    const path = join(home.stateDir, database)
    for (const suffix of ['', '-wal', '-shm']) rmSync(`${path}${suffix}`, { force: true })
    cpSync(copy, home.stateDir, { recursive: true })
  }
}

const diskOf = ({ dir }: AgentHome) => join(dir, 'report-disk')
