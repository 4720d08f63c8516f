import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { closeSync, openSync, readdirSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { agentHome, processPublicKey, spawnAgent } from '../fixtures/agent-process.ts'
import { FakePlatform } from '../fixtures/fake-platform.ts'
import { goodInputs, replayOf } from '../fixtures/test-agent.ts'

const create = goodInputs['transaction.create']
const isRoot = process.getuid?.() === 0
const hasSmallDisks =
  spawnSync('unshare', [...(isRoot ? ['-m'] : ['-Urm']), 'mount', '-t', 'tmpfs', 'tmpfs', '/tmp']).status === 0 &&
  spawnSync('nsenter', ['--version']).status === 0

/** A disk of 6 MB that outlives the agents on it: a process of its own keeps the mount namespace. */
async function smallDisk(dir: string) {
  const script = 'mkdir -p "$0" && mount -t tmpfs -o size=6m tmpfs "$0" && echo ready && exec sleep 600'
  const keeper: ChildProcess = spawn('unshare', [...(isRoot ? ['-m'] : ['-Urm']), 'sh', '-c', script, dir], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await new Promise((resolve) => {
    keeper.stdout?.once('data', resolve)
  })
  const seen = join(`/proc/${keeper.pid}/root`, dir)
  return {
    /** Starts a program on it. */
    wrapper: ['nsenter', '-t', String(keeper.pid), ...(isRoot ? ['-m'] : ['-U', '-m', '--preserve-credentials'])],
    fill() {
      const file = openSync(join(seen, 'filler'), 'a')
      for (const size of [65_536, 4_096, 512, 1]) {
        try {
          while (writeSync(file, Buffer.alloc(size)) === size);
        } catch (error) {
          if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
        }
      }
      closeSync(file)
    },
    free: () => rmSync(join(seen, 'filler')),
    names: () => readdirSync(seen).sort(),
    [Symbol.dispose]: () => void keeper.kill('SIGKILL'),
  }
}

for (const end of ['kill', 'stop'] as const) {
  test.skipIf(!hasSmallDisks)(
    `after a ${end} the agent starts on a full disk, gives what it remembers, and refuses what it cannot note`,
    async () => {
      await using platform = await FakePlatform.start(processPublicKey)
      using home = agentHome(platform.url)
      using disk = await smallDisk(home.stateDir)
      await using first = spawnAgent(home, { wrapper: disk.wrapper })
      const answer = await first.callText('transaction.create', create, 'buy-1')
      expect(JSON.parse(answer)).toMatchObject({ ok: true })
      await first[end]()
      disk.fill()
      await using second = spawnAgent(home, { wrapper: disk.wrapper })
      expect(await second.callText('transaction.create', create, 'buy-1')).toBe(replayOf(answer))
      disk.fill()
      expect(await second.call('transaction.create', { ...create, quantity: 2 }, 'buy-2')).toMatchObject({
        ok: false,
        status: 503,
        message: expect.stringContaining('nada foi enviado'),
      })
      await second.printed('cannot be written: free space on its disk')
      disk.free()
      expect(await second.call('transaction.create', { ...create, quantity: 2 }, 'buy-2')).toMatchObject({ ok: true })
      await second.printed('calls can be noted again')
      expect(await second.stop()).toEqual({ code: 0, signal: null })
      expect(platform.requests).toHaveLength(2)
      expect(second.output()).not.toContain('damaged')
    },
  )
}

test.skipIf(!hasSmallDisks)(
  'a first start on a full disk ends with 1 and says where room is wanted, and a start with room goes well',
  async () => {
    using home = agentHome('http://127.0.0.1:9')
    using disk = await smallDisk(home.stateDir)
    disk.fill()
    await using first = spawnAgent(home, { wrapper: disk.wrapper })
    expect(await first.ended).toEqual({ code: 1, signal: null })
    const last = JSON.parse(first.output().trimEnd().split('\n').at(-1) ?? '')
    expect(last.msg).toBe(
      `SERVICE_STATE_DIR: ${home.stateDir}: there is no room (ENOSPC). Free some space on its disk and start again. Example: /var/lib/market-agent`,
    )
    expect(disk.names()).toEqual(['filler', 'owner.lock'])
    disk.free()
    await using second = spawnAgent(home, { wrapper: disk.wrapper })
    await second.listening
    expect(await second.stop()).toEqual({ code: 0, signal: null })
  },
)

test.skipIf(!hasSmallDisks)('a start at a spool without room ends with 1, for that may pass', async () => {
  using home = agentHome('http://127.0.0.1:9')
  using disk = await smallDisk(home.spoolDir)
  const options = { wrapper: disk.wrapper, env: { SERVICE_SPOOL_DIR: home.spoolDir } }
  await using first = spawnAgent(home, options)
  await first.listening
  await first.stop()
  disk.fill()
  await using second = spawnAgent(home, options)
  expect(await second.ended).toEqual({ code: 1, signal: null })
  expect(second.output()).toMatch(/"msg":"SERVICE_SPOOL_DIR: [^"]*ENOSPC[^"]*free space on the disk of the spool/)
})
