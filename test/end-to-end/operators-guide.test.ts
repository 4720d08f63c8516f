import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readPlatformKey, readSigningKey } from '../../agent/signing/signing-key.ts'
import { startProgram } from '../../scripts/child-program.ts'
import { setStage } from '../../scripts/demo/stage.ts'
import { binaryPrograms } from '../../scripts/programs.ts'
import { codeBlocksOf, portsFor, runCommands } from './fixtures/guide.ts'

const guide = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'en', 'operations', 'signing-key.md'), 'utf8')

/** The commands of the guide that contain a text. */
function commandsWith(text: string): string {
  const blocks = [...guide.matchAll(/```sh\n(.*?)```/gs)].map(([, block = '']) => block)
  return blocks.find((block) => block.includes(text)) ?? ''
}

test("the operators' guide makes a key pair that the agent takes, and prints its fingerprint", () => {
  const dir = mkdtempSync(join(tmpdir(), 'market-agent-guide-'))
  const run = (commands: string) => execFileSync('sh', ['-ec', commands], { cwd: dir, encoding: 'utf8', stdio: 'pipe' })
  run(commandsWith('openssl genpkey'))
  const privatePem = readFileSync(join(dir, 'signing-key.pem'), 'utf8')
  expect(statSync(join(dir, 'signing-key.pem')).mode & 0o777).toBe(0o600)
  expect(readPlatformKey(readFileSync(join(dir, 'signing-key-public.pem'), 'utf8')).type).toBe('public')
  expect(run(commandsWith('openssl dgst')).trim()).toBe(readSigningKey(privatePem, 'kid').fingerprint)
  rmSync(dir, { recursive: true })
})

/** The lines of a page's blocks for a shell that contain a text. */
function linesWith(page: string, text: string): string[] {
  const blocks = codeBlocksOf(`en/operations/${page}`).filter(({ language }) => language === 'sh')
  const lines = blocks.flatMap((block) => block.text.split('\n')).filter((line) => line.includes(text))
  if (lines.length === 0) throw new Error(`${page} has no command with ${text}`)
  return lines
}

test("the operators' commands for an agent that runs do what the pages say", async () => {
  await using stage = await setStage(binaryPrograms)
  const [agentPort, webhookPort] = [...(await portsFor('8899', '8898')).values()]
  const directories = ['--state-dir', join(stage.dir, 'state'), '--spool-dir', join(stage.dir, 'spool')]
  const bridge = ['--bridge', '--webhook-url', `http://127.0.0.1:${webhookPort}/webhook`]
  const flags = ['--agent-port', `${agentPort}`, ...bridge, ...directories, '--out', stage.dir]
  const provision = ['platform-stub', 'provision', '--url', stage.stubUrl, '--name', 'my-game', ...flags]
  await runCommands(provision.map((word) => `'${word}'`).join(' '), stage.dir)
  const config = join(stage.dir, 'agent.env')
  await using _agent = await startProgram({
    name: 'market-agent',
    command: [...binaryPrograms.agent, 'run', '--config', config],
    env: {},
    logFile: join(stage.dir, 'agent.log'),
  })
  const commands = [
    ...linesWith('check.md', 'market-agent check').map((line) => line.replace('runuser -u market-agent -- ', '')),
    ...linesWith('run.md', 'call market.eligibility'),
    ...linesWith('status.md', 'market-agent status'),
    ...linesWith('webhook-bridge.md', 'market-agent orders'),
    ...linesWith('reload.md', 'market-agent reload'),
  ]
  const printed = await runCommands(
    commands.join('\n').replaceAll('/etc/market-agent/agent.env', `'${config}'`),
    stage.dir,
  )
  expect(printed).toMatch(/^ok +credentials/m)
  expect(printed).not.toMatch(/^wrong/m)
  expect(printed).toContain('"allowed":false')
})
