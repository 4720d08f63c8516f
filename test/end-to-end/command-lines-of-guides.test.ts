import { execFile } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { binaryPrograms } from '../../scripts/programs.ts'

const root = join(import.meta.dirname, '..', '..')
const programs = { 'market-agent': binaryPrograms.agent, 'platform-stub': binaryPrograms.stub } as const

type Program = keyof typeof programs

/** A command line of one of the programs, as a page has it. */
interface CommandLine {
  readonly program: Program
  readonly command: string
  readonly options: readonly string[]
}

/** The command lines in the code of a page: its blocks for a shell, and the words between backticks. */
function commandLinesIn(page: string): CommandLine[] {
  const blocks = [...page.matchAll(/```(?:sh|powershell)\n(.*?)```/gs)].map(([, text = '']) =>
    text.replaceAll('\\\n', ''),
  )
  const inline = [...page.replaceAll(/```.*?```/gs, '').matchAll(/`([^`\n]+)`/g)].map(([, text = '']) => text)
  return [...blocks, ...inline].flatMap((text) => {
    const found = text.matchAll(
      /(?<=^|[\s'\\]|dist\/)(market-agent|platform-stub)(?:\.exe)?'? ((?:service|store|trigger) [a-z_-]+|[a-z][a-z-]*)([^|&#\n]*)/gm,
    )
    return [...found].map(([, program, command = '', rest = '']) => ({
      program: program as Program,
      command,
      options: [...rest.matchAll(/(?<= )--[a-z][a-z-]*/g)].map(([option]) => option),
    }))
  })
}

/** What `--help` says about a command. */
async function helpOf(program: Program, command: string): Promise<string> {
  const [file = '', ...args] = [...programs[program], ...command.split(' '), '--help']
  const { stdout } = await promisify(execFile)(file, args, { env: { ...process.env, LC_ALL: 'C' } })
  return stdout
}

test('every command and option of the programs that the guides name is there', async () => {
  const pages = globSync(['README*.md', 'docs/{en,pt-BR}/**/*.md', 'examples/**/*.md'], { cwd: root })
  const lines = pages.flatMap((page) => commandLinesIn(readFileSync(join(root, page), 'utf8')))
  const byCommand = Map.groupBy(lines, ({ program, command }) => `${program} ${command}`)
  expect(byCommand.size).toBeGreaterThan(12)
  const wrong: string[] = []
  for (const [key, [first, ...others]] of byCommand) {
    if (!first) continue
    const help = await helpOf(first.program, first.command)
    if (!help.startsWith(`Usage: ${key}`)) wrong.push(key)
    const named = new Set([first, ...others].flatMap(({ options }) => options))
    wrong.push(...[...named].filter((option) => !RegExp(`${option}\\b(?!-)`).test(help)).map((one) => `${key} ${one}`))
  }
  expect(wrong).toEqual([])
})

test('a command with its options is found in a block and in a line, and a user or a path is none', () => {
  const page =
    '`market-agent call market.eligibility --id 1`\n```powershell\n.\\market-agent.exe run --config C:\\agent.env\n```\n```sh\nchgrp market-agent /etc\nDIR=/var/spool/market-agent php game.php\nplatform-stub serve --memory & # --not\n```\n'
  expect(commandLinesIn(page)).toEqual([
    { program: 'market-agent', command: 'run', options: ['--config'] },
    { program: 'platform-stub', command: 'serve', options: ['--memory'] },
    { program: 'market-agent', command: 'call', options: ['--id'] },
  ])
})
