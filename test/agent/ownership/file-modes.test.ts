import { chmodSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { agentHome, processPublicKey, spawnAgent } from '../fixtures/agent-process.ts'
import { FakePlatform } from '../fixtures/fake-platform.ts'
import { namesIn } from '../fixtures/spool-fixture.ts'
import { goodInputs } from '../fixtures/test-agent.ts'

test.skipIf(process.platform === 'win32')(
  "only the agent's user reads its journal, its locks and the names of their owners, also if an earlier version let others",
  async () => {
    await using platform = await FakePlatform.start(processPublicKey)
    using home = agentHome(platform.url)
    const env = { SERVICE_SPOOL_DIR: home.spoolDir }
    // A umask that would let everybody read and write.
    const wrapper = ['sh', '-c', 'umask 000 && exec "$@"', 'sh']
    const openFiles = () => [
      ...namesIn(home.stateDir).map((name) => join(home.stateDir, name)),
      ...['owner.lock', 'owner.json'].map((name) => join(home.spoolDir, name)),
    ]
    const modes = () => openFiles().map((path) => `${path}: ${(statSync(path).mode & 0o777).toString(8)}`)
    const expected = () => openFiles().map((path) => `${path}: 600`)

    await using first = spawnAgent(home, { env, wrapper })
    expect(await first.call('transaction.create', goodInputs['transaction.create'], 'buy-1')).toMatchObject({
      ok: true,
    })
    expect(namesIn(home.stateDir)).toEqual(expect.arrayContaining(['journal.db', 'journal.db-wal', 'owner.json']))
    expect(modes()).toEqual(expected())
    await first.kill()

    for (const path of openFiles()) chmodSync(path, 0o644)
    await using second = spawnAgent(home, { env, wrapper })
    await second.listening
    expect(modes()).toEqual(expected())
  },
)
