import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  closeSync,
  constants,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openLog } from '../../../agent/log/log.ts'
import { until } from '../../../scripts/until.ts'
import { agentHome, processPublicKey, spawnAgent } from '../fixtures/agent-process.ts'
import { FakePlatform } from '../fixtures/fake-platform.ts'
import { TestClock } from '../fixtures/test-clock.ts'

const limitBytes = 10 * 1024 * 1024

function logDir() {
  const dir = mkdtempSync(join(tmpdir(), 'market-agent-log-'))
  const file = join(dir, 'agent.log')
  const clock = new TestClock()
  return {
    dir,
    file,
    clock,
    open: async () => (await openLog({ level: 'info', file, monotonicMs: () => clock.monotonicMs() })).log,
    [Symbol.dispose]: () => {
      rmSync(dir, { recursive: true, force: true })
    },
  }
}

/** A file of that length without taking up its room. */
function fillTo(path: string, bytes: number): void {
  writeFileSync(path, '')
  truncateSync(path, bytes)
}

const messagesIn = (path: string) =>
  [...readFileSync(path, 'latin1').matchAll(/"msg":"([^"]+)"/g)].map(([, message]) => message)

test('a log file is rotated before it grows past 10 MiB, and five are kept', async () => {
  using logs = logDir()
  for (let turn = 1; turn <= 6; turn++) {
    const first = await logs.open()
    first.info(`first of ${turn}`)
    truncateSync(logs.file, limitBytes)
    const log = await logs.open()
    log.info(`after ${turn}`)
    log.info(`later than ${turn}`)
  }
  expect(readdirSync(logs.dir).sort()).toEqual(['agent.log', ...[1, 2, 3, 4].map((n) => `agent.log.${n}`)])
  expect(messagesIn(logs.file)).toEqual(['after 6', 'later than 6'])
  expect(messagesIn(`${logs.file}.1`)).toEqual(['after 5', 'later than 5', 'first of 6'])
  expect(messagesIn(`${logs.file}.4`)).toEqual(['after 2', 'later than 2', 'first of 3'])
  expect(lstatSync(logs.file).mode & 0o777 & ~0o640).toBe(0)
})

test('a log file behind a link is rotated in its own directory, and the link stays', async () => {
  using logs = logDir()
  const target = join(logs.dir, 'elsewhere', 'real.log')
  mkdirSync(join(logs.dir, 'elsewhere'))
  fillTo(target, limitBytes)
  symlinkSync(target, logs.file)
  const log = await logs.open()
  log.info('after')
  expect(lstatSync(logs.file).isSymbolicLink()).toBe(true)
  expect(messagesIn(logs.file)).toEqual(['after'])
  expect(readdirSync(join(logs.dir, 'elsewhere')).sort()).toEqual(['real.log', 'real.log.1'])
})

test.skipIf(process.platform === 'win32')('a log that is not a regular file is never rotated', async () => {
  using logs = logDir()
  execFileSync('mkfifo', [logs.file])
  const reader = openSync(logs.file, constants.O_RDWR | constants.O_NONBLOCK)
  const log = await logs.open()
  const read = Buffer.alloc(65_536)
  // Whatever was written of it is gone once it is read; more than a file may hold goes through.
  const long = 'x'.repeat(60_000)
  for (let written = 0; written < limitBytes + 200_000; written += long.length) {
    log.info(long)
    expect(readSync(reader, read)).toBeGreaterThan(long.length)
  }
  closeSync(reader)
  expect(readdirSync(logs.dir)).toEqual(['agent.log'])
  expect(lstatSync(logs.file).isFIFO()).toBe(true)
})

test.skipIf(process.platform === 'win32')(
  'a pipe that nobody reads costs lines, and the agent does not wait',
  async () => {
    using logs = logDir()
    const log = await logs.open()
    log.info('before')
    // As another program may do with the file that the agent has open.
    renameSync(logs.file, `${logs.file}.1`)
    execFileSync('mkfifo', [logs.file])
    logs.clock.advance(1_000)
    for (let line = 0; line < 30; line++) log.info('x'.repeat(9_000))
    const reader = openSync(logs.file, constants.O_RDONLY | constants.O_NONBLOCK)
    const read = Buffer.alloc(1_000_000)
    expect(readSync(reader, read)).toBeGreaterThan(30_000)
    log.info('after')
    const length = readSync(reader, read)
    // The last line was cut off.
    expect(read.toString('utf8', 0, length)).toMatch(/^\n\{.*"msg":"after"/)
    closeSync(reader)
    expect(lstatSync(logs.file).isFIFO()).toBe(true)
  },
)

for (const [what, replace] of [
  ['renamed', (file: string) => renameSync(file, `${file}-20261122`)],
  ['removed', (file: string) => rmSync(file)],
  [
    'renamed and made again',
    (file: string) => {
      renameSync(file, `${file}-20261122`)
      writeFileSync(file, '')
    },
  ],
] as const) {
  test(`a log file that another program has ${what} is opened again within a second`, async () => {
    using logs = logDir()
    const log = await logs.open()
    log.info('before')
    replace(logs.file)
    logs.clock.advance(1_000)
    log.info('after')
    expect(messagesIn(logs.file)).toEqual(['after'])
  })
}

test('a log file that another program has emptied may grow to 10 MiB again', async () => {
  using logs = logDir()
  fillTo(logs.file, limitBytes - 1_000)
  const log = await logs.open()
  truncateSync(logs.file, 0)
  logs.clock.advance(1_000)
  log.info('x'.repeat(2_000))
  expect(readdirSync(logs.dir)).toEqual(['agent.log'])
})

/** An agent that is not root: rights mean nothing to root. */
const asNobody = process.getuid?.() === 0 ? ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups'] : []

test.skipIf(process.platform === 'win32')(
  'a log file that cannot be rotated grows on, says so once, and nothing else is lost',
  async () => {
    await using platform = await FakePlatform.start(processPublicKey)
    using home = agentHome(platform.url)
    const dir = join(home.dir, 'log')
    const file = join(dir, 'agent.log')
    mkdirSync(dir)
    fillTo(file, limitBytes)
    if (asNobody.length > 0) execFileSync('chown', ['-R', '65534:65534', home.dir])
    chmodSync(dir, 0o555)
    await using agent = spawnAgent(home, {
      wrapper: asNobody,
      env: { SERVICE_LOG_FILE: file, SERVICE_AGENT_PORT: '0', SERVICE_SPOOL_DIR: home.spoolDir },
    })
    const url = await listeningIn(file)
    for (let n = 0; n < 6; n++) {
      const body = JSON.stringify({
        operation: 'character.link',
        input: { characterRef: `char-${n}` },
        id: `link-${n}`,
      })
      const response = await fetch(`${url}/call`, {
        method: 'POST',
        body,
        headers: { 'content-type': 'application/json' },
      })
      expect(await response.json()).toMatchObject({ ok: true })
    }
    await using second = spawnAgent(home, { wrapper: asNobody })
    expect(await second.ended).toEqual({ code: 3, signal: null })
    expect(await agent.stop()).toEqual({ code: 0, signal: null })
    chmodSync(dir, 0o755)
    expect(readdirSync(dir)).toEqual(['agent.log'])
    const messages = messagesIn(file)
    expect(messages.filter((message) => message === 'call answered')).toHaveLength(6)
    const told = messages.filter((message) => message?.includes('cannot be rotated'))
    expect(told).toEqual([expect.stringContaining("the agent's user must be able to write in its directory")])
    expect(messages.at(-1)).toBe('stopped')
  },
)

function listeningIn(file: string): Promise<string> {
  return until(() => /"url":"(http:[^"]+)","msg":"listening"/.exec(readFileSync(file, 'latin1'))?.[1], file)
}
