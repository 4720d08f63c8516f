import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { agentProgram } from '../../programs/our-programs.ts'

const [node = '', ...program] = agentProgram()
const scriptFor = (shell: string) => execFileSync(node, [...program, 'completion', shell], { encoding: 'utf8' })

const bashScript = scriptFor('bash')

/** What bash offers when the last of some words is completed. */
function bashOffers(...words: string[]): string[] {
  const ask = `
    eval "$1"; shift
    COMP_WORDS=("$@"); COMP_CWORD=$((\${#COMP_WORDS[@]} - 1))
    _market_agent
    printf '%s\\n' "\${COMPREPLY[@]}"`
  const output = execFileSync('bash', ['-c', ask, 'bash', bashScript, 'market-agent', ...words], {
    encoding: 'utf8',
  })
  return output.split('\n').filter((line) => line !== '')
}

test('bash completes commands, their options, operations and what a service can be printed for', () => {
  expect(bashOffers('')).toEqual(
    expect.arrayContaining(['run', 'call', 'operations', 'check', 'keygen', 'reload', 'service', 'completion']),
  )
  expect(bashOffers('run', '--st')).toEqual(['--standby'])
  expect(bashOffers('call', 'market.e')).toEqual(['market.eligibility'])
  expect(bashOffers('call', 'market.eligibility', '--input')).toEqual(['--input', '--input-file'])
  expect(bashOffers('check', '--')).toEqual(['--json', '--offline', '--config', '--help'])
  expect(bashOffers('service', 's')).toEqual(['systemd'])
  expect(bashOffers('service', 'systemd', '--t')).toEqual(['--template'])
  expect(bashOffers('completion', 'z')).toEqual(['zsh'])
})

test('bash completes files after the options that want one', () => {
  expect(bashOffers('run', '--config', 'package.j')).toEqual(['package.json'])
})

test('zsh and PowerShell are offered the same words', () => {
  for (const shell of ['zsh', 'powershell']) {
    const script = scriptFor(shell)
    for (const word of ['--standby', 'market.eligibility', '--template', 'systemd']) expect(script).toContain(word)
  }
})

test('a file with a space in its name is one word', () => {
  const dir = mkdtempSync(join(tmpdir(), 'market-agent-completion-'))
  writeFileSync(join(dir, 'my agent.env'), '')
  expect(bashOffers('run', '--config', join(dir, 'my'))).toEqual([join(dir, 'my agent.env')])
  rmSync(dir, { recursive: true })
})

test('completing starts no program: everything is in the script', () => {
  expect(bashScript.match(/\$\(|<\((?!compgen)/g)).toBeNull()
})
