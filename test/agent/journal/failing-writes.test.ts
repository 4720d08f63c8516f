import { join } from 'node:path'
import { expect, test } from 'vitest'
import { canTrace } from '../../crash/system-calls.ts'
import { agentHome, processPublicKey, spawnAgent } from '../fixtures/agent-process.ts'
import { FakePlatform } from '../fixtures/fake-platform.ts'
import { goodInputs } from '../fixtures/test-agent.ts'

const create = goodInputs['transaction.create']

/** From the n-th write to the journal on, each write fails with this error. */
function failingWrites(stateDir: string, error: string, nth: number): readonly string[] {
  const inject = ['-e', 'trace=pwrite64', '-e', `inject=pwrite64:error=${error}:when=${nth}+`]
  const wal = join(stateDir, 'journal.db-wal')
  return ['strace', '-D', '-f', '-qq', '--seccomp-bpf', '-o', '/dev/null', '-P', wal, ...inject]
}

test.skipIf(!canTrace())(
  'a used-up disk quota refuses calls with an id, names the cure, and ends nothing',
  async () => {
    await using platform = await FakePlatform.start(processPublicKey)
    using home = agentHome(platform.url)
    await using agent = spawnAgent(home, { wrapper: failingWrites(home.stateDir, 'EDQUOT', 20) })
    await agent.listening
    for (let n = 1, isRefused = false; !isRefused; n++) {
      const answer = await agent.call('transaction.create', { ...create, itemRef: `item-${n}` }, `buy-${n}`)
      isRefused = !answer.ok
      if (isRefused && !answer['uncertain']) {
        expect(answer).toMatchObject({ status: 503, message: expect.stringContaining('nada foi enviado') })
      }
    }
    expect(await agent.call('transaction.create', create, 'later')).toMatchObject({ status: 503 })
    await agent.printed(`cannot be written: free space on its disk, or raise the quota`)
    expect(await agent.call('transaction.get', goodInputs['transaction.get'])).toMatchObject({ ok: true })
    expect(await agent.stop()).toEqual({ code: 0, signal: null })
  },
)

test.skipIf(!canTrace())('a disk that fails to write the journal ends the agent', async () => {
  await using platform = await FakePlatform.start(processPublicKey)
  using home = agentHome(platform.url)
  await using agent = spawnAgent(home, { wrapper: failingWrites(home.stateDir, 'EIO', 20) })
  await agent.listening
  const calls = async () => {
    for (let n = 1; ; n++) await agent.call('transaction.create', { ...create, itemRef: `item-${n}` }, `buy-${n}`)
  }
  await expect(calls()).rejects.toThrow()
  expect(await agent.ended).toEqual({ code: 1, signal: null })
  expect(agent.output()).toContain('stopped rather than guess: disk I/O error')
})
