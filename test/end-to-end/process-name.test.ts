import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { startProgram } from '../../scripts/child-program.ts'
import { binaryPrograms, sourcePrograms } from '../../scripts/programs.ts'
import { agentHome } from '../agent/fixtures/agent-process.ts'
import { outputFile } from '../outputs/outputs.ts'

for (const [what, { agent }] of [
  ['from source', sourcePrograms],
  ['as a single file', binaryPrograms],
] as const) {
  test(`top and ps show market-agent, and its arguments (${what})`, async () => {
    using home = agentHome('http://127.0.0.1:1')
    await using daemon = await startProgram({
      name: 'market-agent',
      command: [...agent, 'run', '--standby'],
      env: home.env,
      logFile: outputFile('market-agent'),
    })
    expect(readFileSync(`/proc/${daemon.pid}/comm`, 'utf8')).toBe('market-agent\n')
    const cmdline = readFileSync(`/proc/${daemon.pid}/cmdline`, 'utf8').split('\0')
    // Not the whole line: an emulator of another processor puts its own name in front.
    expect(cmdline.slice(-3)).toEqual(['run', '--standby', ''])
  })
}
