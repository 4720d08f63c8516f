import { once } from 'node:events'
import { appendFileSync, existsSync, readFileSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { outputFile } from '../../outputs/outputs.ts'
import { type AgentHome, type AgentProcess, agentHome, spawnAgent } from '../fixtures/agent-process.ts'

interface Line {
  readonly msg: string
  readonly id?: string
  readonly signal?: string
}

const linesIn = (text: string) =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line)

const callsLogged = 1_200

test('a reader that comes back only at the stop gets every line, in order', async () => {
  using home = agentHome('http://127.0.0.77:9')
  await using agent = spawnAgent(home)
  const { port } = new URL(await agent.listening)
  agent.child.stdout.pause()
  const ids = Array.from({ length: callsLogged }, (_, n) => `call-${n}`)
  // More lines than a pipe and its reader hold.
  for (const id of ids) await agent.call('market.eligibility', {}, id)
  const witness = connect(Number(port), '127.0.0.1')
  await once(witness, 'connect')
  const isStopping = once(witness.resume(), 'close')
  const ended = agent.stop()
  await isStopping
  agent.child.stdout.resume()
  expect(await ended).toEqual({ code: 0, signal: null })
  const lines = linesIn(agent.stdout())
  expect(lines.flatMap(({ id }) => id ?? [])).toEqual(ids)
  expect(lines.slice(-2).map(({ msg }) => msg)).toEqual(['stopping', 'stopped'])
})

interface End {
  readonly code: number
  readonly last: RegExp
  /** Ends an agent that listens. */
  readonly act?: (agent: AgentProcess, home: AgentHome) => void
  /** What an agent that ran before has taken from it, so that it cannot start. */
  readonly lacks?: 'port' | 'state'
}

/** Each way to end. */
const ends: Readonly<Record<string, End>> = {
  'by SIGTERM': { code: 0, last: /^stopped$/, act: ({ pid }) => process.kill(pid, 'SIGTERM') },
  'rather than guess': {
    code: 1,
    last: /^stopped rather than guess: /,
    act: (_, { stateDir }) => rmSync(join(stateDir, 'journal.db')),
  },
  'by a bug': { code: 1, last: /^ended by a bug of the agent$/, act: ({ pid }) => process.kill(pid, 'SIGUSR2') },
  'without a port': { code: 2, last: /^SERVICE_AGENT_PORT: /, lacks: 'port' },
  'without its directory': { code: 3, last: /is locked by another market-agent/, lacks: 'state' },
}

/** A bug that a test can call. */
const bug = `process.on('SIGUSR2', () => { throw new Error('a bug, for a test') })`
const nodeArgs = ['--import', `data:text/javascript,${encodeURIComponent(bug)}`]

const targets = ['a pipe', 'a file', 'SERVICE_LOG_FILE'] as const

for (const [how, { code, last, act, lacks }] of Object.entries(ends)) {
  test.each(targets)(`an agent that ends ${how} has its last line in %s, and the lines before it`, async (target) => {
    using home = agentHome('http://127.0.0.77:9')
    using elsewhere = agentHome('http://127.0.0.77:9')
    await using other = lacks && spawnAgent(lacks === 'state' ? home : elsewhere)
    const { port } = new URL((await other?.listening) ?? home.env['SERVICE_BASE_URL'] ?? '')
    const file = join(home.dir, 'log')
    await using agent = spawnAgent(home, {
      nodeArgs,
      env: {
        LOG_OF_TEST: file,
        ...(lacks === 'port' && { SERVICE_AGENT_PORT: port }),
        ...(target === 'SERVICE_LOG_FILE' && { SERVICE_LOG_FILE: file }),
      },
      ...(target === 'a file' && { wrapper: ['sh', '-c', 'exec "$0" "$@" > "$LOG_OF_TEST"'] }),
    })
    const text = () => (target === 'a pipe' ? agent.stdout() : existsSync(file) ? readFileSync(file, 'utf8') : '')
    if (act) {
      await expect.poll(text).toContain('"msg":"listening"')
      act(agent, home)
    }
    expect(await agent.ended).toEqual({ code, signal: null })
    if (target !== 'a pipe') appendFileSync(outputFile('agent'), text())
    const lines = linesIn(text())
    expect(lines[0]?.msg).toBe('starting')
    expect(lines.at(-1)?.msg).toMatch(last)
  })
}
