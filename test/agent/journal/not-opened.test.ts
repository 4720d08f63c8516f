import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { notOpened } from '../../../agent/database/not-opened.ts'
import { StoreUnusableError } from '../../../agent/database/store-errors.ts'
import { canTrace } from '../../crash/system-calls.ts'
import { type AgentHome, agentHome, spawnAgent } from '../fixtures/agent-process.ts'
import { openTestJournal } from '../fixtures/test-journal.ts'

/** An agent that is not root: rights mean nothing to root. */
const asNobody = process.getuid?.() === 0 ? ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups'] : []

async function makeJournal(home: AgentHome): Promise<string> {
  await using agent = spawnAgent(home)
  await agent.listening
  await agent.stop()
  return join(home.stateDir, 'journal.db')
}

const lastMessage = (output: string) => String(JSON.parse(output.trimEnd().split('\n').at(-1) ?? '').msg)

test.skipIf(process.platform === 'win32')(
  'a journal that the agent may not open is not called damaged, and the message says how to get the rights',
  async () => {
    using home = agentHome('http://127.0.0.1:9')
    const path = await makeJournal(home)
    const before = readFileSync(path)
    if (asNobody.length > 0) execFileSync('chown', ['-R', '65534:65534', home.dir])
    if (asNobody.length > 0) execFileSync('chown', ['0:0', path])
    for (const mode of asNobody.length > 0 ? [0o600, 0o644] : [0o000, 0o400]) {
      chmodSync(path, mode)
      await using agent = spawnAgent(home, { wrapper: asNobody })
      expect(await agent.ended).toEqual({ code: 2, signal: null })
      const message = lastMessage(agent.output())
      expect(message).toMatch(
        /^SERVICE_STATE_DIR: .*journal\.db: the agent's user may not work with it \(EACCES\)\. Give/,
      )
      expect(agent.output()).not.toMatch(/damaged|move it away|^\s+at /m)
    }
    chmodSync(path, 0o600)
    expect(readFileSync(path).equals(before)).toBe(true)
  },
)

test('a journal that another program has open ends the start with 3 and is not called damaged', async () => {
  using home = agentHome('http://127.0.0.1:9')
  const path = await makeJournal(home)
  using other = new DatabaseSync(path)
  other.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE')
  await using agent = spawnAgent(home)
  expect(await agent.ended).toEqual({ code: 3, signal: null })
  expect(lastMessage(agent.output())).toBe(`${path} is locked by another program, which has it open`)
})

for (const [how, when] of [
  ['once', '40'],
  ['from some page on', '40+'],
] as const) {
  test.skipIf(!canTrace())(`a journal that the disk fails to read ${how} is not called damaged`, async () => {
    using home = agentHome('http://127.0.0.1:9')
    const path = join(home.stateDir, 'journal.db')
    mkdirSync(home.stateDir)
    const answer = { ok: true, dataText: JSON.stringify('x'.repeat(200)) } as const
    const journal = openTestJournal(home.stateDir)
    for (let n = 0; n < 2_000; n++) {
      const call = { id: `id-${n}`, fingerprint: 'f', operationName: 'market.adjust-stock' }
      await journal.recordAnswer(call, answer, 600_000)
    }
    await journal.close()
    const inject = ['-e', 'trace=pread64', '-e', `inject=pread64:error=EIO:when=${when}`]
    const trace = join(home.dir, 'trace')
    const wrapper = ['strace', '-D', '-f', '-qq', '--seccomp-bpf', '-o', trace, '-P', path, ...inject]
    await using agent = spawnAgent(home, { wrapper })
    if (how === 'once') {
      await agent.listening
      expect(await agent.stop()).toEqual({ code: 0, signal: null })
    } else {
      expect(await agent.ended).toEqual({ code: 1, signal: null })
      expect(lastMessage(agent.output())).toMatch(
        /^SERVICE_STATE_DIR: .*: the disk fails \(EIO\)\. Look at the disk first/,
      )
    }
    expect(readFileSync(trace, 'utf8')).toContain('(INJECTED)')
    expect(agent.output()).not.toContain('damaged')
  })
}

test.skipIf(!canTrace())('whichever read of the journal fails, the message does not say to move it away', async () => {
  using home = agentHome('http://127.0.0.1:9')
  const path = await makeJournal(home)
  const trace = join(home.dir, 'trace')
  for (let at = 1, isInjected = true; isInjected; at++) {
    for (const when of [`${at}`, `${at}+`]) {
      const inject = ['-e', 'trace=pread64', '-e', `inject=pread64:error=EIO:when=${when}`]
      const files = ['-P', path, '-P', `${path}-wal`]
      const wrapper = ['strace', '-D', '-f', '-qq', '--seccomp-bpf', '-o', trace, ...files, ...inject]
      await using agent = spawnAgent(home, { wrapper })
      await Promise.race([agent.ended, agent.listening.catch(() => undefined)])
      await agent.stop()
      expect(agent.output(), `read ${when}`).not.toContain('damaged')
      isInjected = readFileSync(trace, 'utf8').includes('(INJECTED)')
    }
    expect(at > 1 || isInjected).toBe(true)
  }
})

for (const [what, file, call] of [
  ['written', 'journal.db.new', 'pwrite64'],
  ['read back', 'journal.db.new-wal', 'pread64'],
] as const) {
  test.skipIf(!canTrace())(`a new journal that cannot be ${what} is never left behind as a broken one`, async () => {
    using home = agentHome('http://127.0.0.1:9')
    const inject = ['-e', `trace=${call}`, '-e', `inject=${call}:error=EIO:when=2+`]
    const path = join(home.stateDir, file)
    const wrapper = ['strace', '-D', '-f', '-qq', '--seccomp-bpf', '-o', '/dev/null', '-P', path, ...inject]
    await using first = spawnAgent(home, { wrapper })
    await Promise.race([first.ended, first.listening])
    await first.stop()
    expect(first.output()).not.toContain('damaged')
    await using second = spawnAgent(home)
    await second.listening
    expect(await second.stop()).toEqual({ code: 0, signal: null })
  })
}

test('of all that SQLite can say only two things are called damage', () => {
  using home = agentHome('http://127.0.0.1:9')
  const path = join(home.dir, 'journal.db')
  const isDamage = (errcode: number) =>
    notOpened(path, Object.assign(new Error('…'), { code: 'ERR_SQLITE_ERROR', errcode }), 'move it away') instanceof
    StoreUnusableError
  const codes = Array.from({ length: 256 }, (_, code) => code)
  expect(codes.filter(isDamage)).toEqual([11, 26])
  // An extended code has its kind in the lowest byte.
  expect(codes.map((code) => code + 0x700).filter(isDamage)).toEqual([11 + 0x700, 26 + 0x700])
})
