import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { binaryPrograms } from '../../scripts/programs.ts'
import { agentHome } from '../agent/fixtures/agent-process.ts'

/** What a program prints on a terminal. */
function printedOnTerminal(command: string, env: Record<string, string>): string {
  const { stdout } = spawnSync('script', ['--quiet', '--return', '--command', command, '/dev/null'], {
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], TERM: 'xterm-256color', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
    encoding: 'utf8',
  })
  return stdout
}

const startOfColour = '\u001b['

/** An agent that says in its log why it does not start: its state directory is a file. */
function agentThatEnds() {
  const home = agentHome('http://127.0.0.1:1')
  const command = `${binaryPrograms.agent.join(' ')} run`
  const env = { ...home.env, SERVICE_STATE_DIR: join(home.env['SERVICE_SIGNING_KEY_FILE'] ?? '', 'state') }
  return { command, env, [Symbol.dispose]: () => home[Symbol.dispose]() }
}

test('on a terminal the log of the agent (single file) is readable and has colours', () => {
  using agent = agentThatEnds()
  const printed = printedOnTerminal(agent.command, agent.env)
  expect(printed).toContain(startOfColour)
  expect(printed).toContain('SERVICE_STATE_DIR')
  expect(printed).not.toContain('{"level"')
})

test('with NO_COLOR the log of the agent (single file) is readable and has no colours', () => {
  using agent = agentThatEnds()
  const printed = printedOnTerminal(agent.command, { ...agent.env, NO_COLOR: '1' })
  expect(printed).toContain('SERVICE_STATE_DIR')
  expect(printed).not.toContain(startOfColour)
  expect(printed).not.toContain('{"level"')
})

test('into a pipe the agent (single file) writes lines of JSON without colours', () => {
  using agent = agentThatEnds()
  const { stdout } = spawnSync('sh', ['-c', agent.command], {
    env: { PATH: process.env['PATH'], ...agent.env },
    encoding: 'utf8',
  })
  expect(stdout).not.toContain(startOfColour)
  for (const line of stdout.trim().split('\n')) expect(JSON.parse(line)).toHaveProperty('msg')
})
