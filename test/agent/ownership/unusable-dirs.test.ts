import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type AgentHome, agentHome, spawnAgent } from '../fixtures/agent-process.ts'

/** An agent that is not root: rights mean nothing to root. */
const asNobody = process.getuid?.() === 0 ? ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups'] : []
const giveToAgent = (...paths: string[]) => asNobody.length > 0 && execFileSync('chown', ['65534:65534', ...paths])
const isLinux = process.platform === 'linux'

for (const setting of ['SERVICE_STATE_DIR', 'SERVICE_SPOOL_DIR'] as const) {
  const dirs: readonly [what: string, make: (home: AgentHome) => string, problem: RegExp, isHere?: boolean][] = [
    [
      'is a file',
      ({ dir }) => {
        writeFileSync(join(dir, 'file'), '')
        return join(dir, 'file')
      },
      /a file is where a directory must be/,
    ],
    [
      'lies below a file',
      ({ dir }) => {
        writeFileSync(join(dir, 'file'), '')
        return join(dir, 'file', 'below', 'it')
      },
      /a file is where a directory must be \(ENOTDIR\)/,
    ],
    ['can neither be found nor made', () => '/proc/x', /no such file \(ENOENT\)/, isLinux],
    [
      'holds a lock that is none',
      ({ dir }) => {
        mkdirSync(join(dir, 'd'))
        writeFileSync(join(dir, 'd', 'owner.lock'), 'not a database'.repeat(100))
        return join(dir, 'd')
      },
      /owner\.lock: not a lock of market-agent\. Remove that file/,
    ],
    [
      "is another user's",
      ({ dir }) => {
        mkdirSync(join(dir, 'd'))
        chmodSync(join(dir, 'd'), 0o555)
        return join(dir, 'd')
      },
      /the agent's user may not work with it \(EACCES\)\. Give the agent's user the right/,
      process.platform !== 'win32',
    ],
    [
      "holds another user's lock",
      ({ dir }) => {
        mkdirSync(join(dir, 'd'))
        writeFileSync(join(dir, 'd', 'owner.lock'), '')
        giveToAgent(join(dir, 'd'))
        chmodSync(join(dir, 'd', 'owner.lock'), asNobody.length > 0 ? 0o600 : 0)
        return join(dir, 'd')
      },
      /owner\.lock: the agent's user may not work with it \(EACCES\)/,
      process.platform !== 'win32',
    ],
  ]
  for (const [what, make, problem, isHere = true] of dirs) {
    test.skipIf(!isHere)(`a ${setting} that ${what} ends the start with 2, named and with its cure`, async () => {
      using home = agentHome('http://127.0.0.1:9')
      giveToAgent(home.dir, join(home.dir, 'signing-key.pem'))
      const path = make(home)
      await using agent = spawnAgent(home, { wrapper: asNobody, env: { [setting]: path } })
      expect(await agent.ended).toEqual({ code: 2, signal: null })
      const { msg } = JSON.parse(agent.output().trimEnd().split('\n').at(-1) ?? '')
      expect(msg).toMatch(problem)
      expect(msg).toMatch(new RegExp(`^${setting}: .*\\. Example: /var/`))
      expect(msg).toContain(path)
    })
  }
}

test('a log file that cannot be written ends the start with 2, named and with its cure', async () => {
  using home = agentHome('http://127.0.0.1:9')
  await using agent = spawnAgent(home, { env: { SERVICE_LOG_FILE: join(home.dir, 'none', 'agent.log') } })
  expect(await agent.ended).toEqual({ code: 2, signal: null })
  expect(agent.output()).toMatch(
    /^SERVICE_LOG_FILE: cannot write .*agent\.log \(ENOENT\)\. Check that its directory exists, on a local disk\. Example: \/var\/log\/market-agent\/agent\.log\n$/,
  )
})

test('what is planted under the names of our own files in the spool is replaced, never written through', async () => {
  using home = agentHome('http://127.0.0.1:9')
  mkdirSync(home.spoolDir)
  const victims = ['agent.json', 'owner.json'].map((name) => {
    const victim = join(home.dir, `victim-of-${name}`)
    writeFileSync(victim, 'precious')
    symlinkSync(victim, join(home.spoolDir, name))
    return victim
  })
  const unfinished = join(home.spoolDir, `.${'a'.repeat(32)}.tmp`)
  writeFileSync(unfinished, 'left by a killed agent')
  await using agent = spawnAgent(home, { env: { SERVICE_SPOOL_DIR: home.spoolDir } })
  await agent.listening
  for (const victim of victims) expect(readFileSync(victim, 'utf8')).toBe('precious')
  expect(JSON.parse(readFileSync(join(home.spoolDir, 'agent.json'), 'utf8'))).toMatchObject({ ready: false })
  expect(readFileSync(join(home.spoolDir, 'owner.json'), 'utf8')).toContain(`process ${agent.pid}`)
  expect(existsSync(unfinished)).toBe(false)
  expect(await agent.stop()).toEqual({ code: 0, signal: null })
})
