import { expect, test } from 'vitest'
import { agentHome, processPublicKey, spawnAgent } from '../fixtures/agent-process.ts'
import { FakePlatform } from '../fixtures/fake-platform.ts'
import { hasSmallDisks, smallDisk } from '../fixtures/small-disk.ts'
import { goodInputs, replayOf } from '../fixtures/test-agent.ts'

const create = goodInputs['transaction.create']
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
      await second.printed('calls with an id are taken again')
      expect(await second.stop()).toEqual({ code: 0, signal: null })
      expect(platform.requests).toHaveLength(2)
      expect(second.output()).not.toContain('damaged')
    },
  )
}

test.skipIf(!hasSmallDisks)(
  'a first start on a full disk ends with 1 and says where room is needed, and a start with room goes well',
  async () => {
    using home = agentHome('http://127.0.0.1:9')
    using disk = await smallDisk(home.stateDir)
    disk.fill()
    await using first = spawnAgent(home, { wrapper: disk.wrapper })
    expect(await first.ended).toEqual({ code: 1, signal: null })
    const last = JSON.parse(first.output().trimEnd().split('\n').at(-1) ?? '')
    expect(last.msg).toBe(
      `SERVICE_STATE_DIR: ${home.stateDir}: the disk is full (ENOSPC). Free space on its disk. Example: /var/lib/market-agent`,
    )
    expect(disk.names()).toEqual(['filler', 'owner.lock'])
    disk.free()
    await using second = spawnAgent(home, { wrapper: disk.wrapper })
    await second.listening
    expect(await second.stop()).toEqual({ code: 0, signal: null })
  },
)
