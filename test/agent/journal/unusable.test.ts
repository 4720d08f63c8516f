import { closeSync, mkdirSync, openSync, readFileSync, statSync, truncateSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { agentHome, spawnAgent } from '../fixtures/agent-process.ts'
import { openTestJournal } from '../fixtures/test-journal.ts'

/** A journal of ours with some thousand entries. */
async function makeJournal(stateDir: string): Promise<void> {
  await using journal = openTestJournal(stateDir)
  const answer = { ok: true, dataText: JSON.stringify('x'.repeat(200)) } as const
  for (let n = 0; n < 2_000; n++) {
    const call = { id: `id-${n}`, fingerprint: 'f', operationName: 'market.adjust-stock' }
    await journal.recordAnswer(call, answer, 600_000)
  }
}

function damage(path: string, from: number, to: number): void {
  const file = openSync(path, 'r+')
  for (let at = from; at < to; at += 4_096) writeSync(file, Buffer.alloc(4_096, 0xa5), 0, 4_096, at)
  closeSync(file)
}

for (const [what, make, line] of [
  [
    'is damaged in the middle',
    async (path: string, stateDir: string) => {
      await makeJournal(stateDir)
      damage(path, 40_960, 204_800)
    },
    /journal\.db: damaged/,
  ],
  [
    'is cut short',
    async (path: string, stateDir: string) => {
      await makeJournal(stateDir)
      truncateSync(path, 100_000)
    },
    /journal\.db: damaged/,
  ],
  [
    'is not a database',
    async (path: string) => writeFileSync(path, 'not a database'.repeat(500)),
    /damaged or no database/,
  ],
  [
    'was written by a newer version',
    async (path: string, stateDir: string) => {
      await makeJournal(stateDir)
      using db = new DatabaseSync(path)
      db.exec('PRAGMA user_version = 5')
    },
    /newer version of market-agent \(5, this one knows 4\)/,
  ],
  [
    'belongs to another program',
    async (path: string) => {
      using db = new DatabaseSync(path)
      db.exec("PRAGMA application_id = 77; CREATE TABLE notes (text); INSERT INTO notes VALUES ('mine')")
    },
    /another program's database/,
  ],
  [
    'belongs to a program that names itself nowhere',
    async (path: string) => {
      using db = new DatabaseSync(path)
      db.exec('CREATE TABLE journal (only INTEGER, name TEXT); CREATE TABLE call (id)')
    },
    /another program's database/,
  ],
] as const) {
  test(`a journal that ${what} ends the start with one clear line and stays byte for byte`, async () => {
    using home = agentHome('http://127.0.0.1:9')
    const path = join(home.stateDir, 'journal.db')
    mkdirSync(home.stateDir, { recursive: true })
    await make(path, home.stateDir)
    const before = readFileSync(path)
    await using agent = spawnAgent(home)
    expect(await agent.ended).toEqual({ code: 2, signal: null })
    const last = agent.output().trimEnd().split('\n').at(-1) ?? ''
    expect(JSON.parse(last)).toMatchObject({ level: 'fatal', msg: expect.stringMatching(line) })
    expect(JSON.parse(last).msg).toMatch(/The file was left as it is; (move it away|start that version|set)/)
    expect(agent.output()).not.toMatch(/^\s+at /m)
    expect(readFileSync(path).equals(before)).toBe(true)
  })
}

test('an empty file in place of the journal is a new journal', async () => {
  using home = agentHome('http://127.0.0.1:9')
  mkdirSync(home.stateDir, { recursive: true })
  writeFileSync(join(home.stateDir, 'journal.db'), '')
  await using agent = spawnAgent(home)
  await agent.listening
  expect(await agent.stop()).toEqual({ code: 0, signal: null })
})

test("only the agent's user can use the state directory", { skip: process.platform === 'win32' }, async () => {
  using home = agentHome('http://127.0.0.1:9')
  await using agent = spawnAgent(home)
  await agent.listening
  expect(statSync(home.stateDir).mode & 0o777).toBe(0o700)
})
