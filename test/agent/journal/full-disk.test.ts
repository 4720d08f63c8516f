import { spawnSync } from 'node:child_process'
import { closeSync, openSync, rmSync, statSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { agentHome, processPublicKey, spawnAgent } from '../fixtures/agent-process.ts'
import { FakePlatform, goodReply } from '../fixtures/fake-platform.ts'
import { goodInputs, replayOf } from '../fixtures/test-agent.ts'

const create = goodInputs['transaction.create']

/** A mount namespace of its own, in which the state directory lies on a disk of 6 MB; nothing of it is left behind. */
const namespace = process.getuid?.() === 0 ? ['unshare', '-m'] : ['unshare', '-Urm']
const onSmallDisk = (dir: string) => [
  ...namespace,
  'sh',
  '-c',
  'mkdir -p "$0" && mount -t tmpfs -o size=6m tmpfs "$0" && exec "$@"',
  dir,
]
const [program = '', ...rest] = onSmallDisk('/tmp')
const hasSmallDisks = spawnSync(program, [...rest, 'true']).status === 0

/** The disk as the agent sees it. */
function diskOf(pid: number, stateDir: string) {
  const filler = join(`/proc/${pid}/root`, stateDir, 'filler')
  return {
    fill() {
      const file = openSync(filler, 'a')
      for (const size of [65_536, 4_096, 512, 1]) {
        try {
          while (writeSync(file, Buffer.alloc(size)) === size);
        } catch (error) {
          if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
        }
      }
      closeSync(file)
    },
    free: () => rmSync(filler),
    size: (name: string) => statSync(join(`/proc/${pid}/root`, stateDir, name)).size,
  }
}

test.skipIf(!hasSmallDisks)(
  'a full disk refuses new once calls before they are sent, keeps the answers of those under way, and recovers',
  async () => {
    await using platform = await FakePlatform.start(processPublicKey)
    using home = agentHome(platform.url)
    const { promise: full, resolve: letGo } = Promise.withResolvers<void>()
    platform.reply = async (request) => {
      if (request.method === 'POST') await full
      return goodReply(request)
    }
    await using agent = spawnAgent(home, { wrapper: onSmallDisk(home.stateDir) })
    await agent.listening
    const disk = diskOf(agent.pid, home.stateDir)
    const input = (n: number) => ({ ...create, itemRef: `item-${n}` })
    const underWay = Array.from({ length: 12 }, (_, n) => agent.callText('transaction.create', input(n), `buy-${n}`))
    await platform.arrived(12)
    disk.fill()
    const refused = { ok: false, id: 'late', message: expect.stringContaining('nada foi enviado'), status: 503 }
    expect(await agent.call('transaction.create', create, 'late')).toEqual(refused)
    expect(await agent.call('market.eligibility', goodInputs['market.eligibility'])).toMatchObject({ ok: true })
    letGo()
    const answers = await Promise.all(underWay)
    expect(answers.map((answer) => JSON.parse(answer).ok)).toEqual(answers.map(() => true))

    disk.fill()
    expect(await agent.call('transaction.create', create, 'late')).toEqual(refused)
    for (const [n, answer] of answers.entries()) {
      expect(await agent.callText('transaction.create', input(n), `buy-${n}`)).toBe(replayOf(answer))
    }
    expect(platform.requests.filter(({ method }) => method === 'POST')).toHaveLength(12)

    disk.free()
    expect(await agent.call('transaction.create', create, 'late')).toMatchObject({ ok: true })
    expect(disk.size('ballast')).toBe(4 * 1024 * 1024)
    expect(await agent.stop()).toEqual({ code: 0, signal: null })
  },
)
