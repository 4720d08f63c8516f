import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type RunningProgram, startProgram } from '../../child-program.ts'
import { freePort } from './free-port.ts'

/** `stub`: on disk, as it is run. `memory`: the same with `--memory`. `prism`: neither verifies nor stores. */
export type ContenderName = 'stub' | 'memory' | 'prism'

export const contenderTitles: Readonly<Record<ContenderName, string>> = {
  stub: 'platform-stub, on disk',
  memory: 'platform-stub, `--memory`',
  prism: 'Prism mock, its log off',
}

/** How the contenders are started, and where what they write goes. */
export interface BenchGround {
  readonly stubCommand: readonly string[]
  readonly prism: { readonly program: string; readonly document: string }
  readonly dir: string
}

/** All stubs give out the same credentials, and so can be sent the same requests. */
const seed = 'bench'

/** The stub's arguments; `null` in place of a data directory keeps everything in memory. */
export function stubArguments(dataDir: string | null, port: number): string[] {
  const where = dataDir === null ? ['--memory'] : ['--data-dir', dataDir]
  return ['serve', '--port', String(port), '--seed', seed, ...where]
}

/** A new stub on disk, in a directory of its name, or in memory. */
export async function startStub(name: string, { stubCommand, dir }: BenchGround, where: 'disk' | 'memory' = 'disk') {
  const dataDir = where === 'disk' ? join(dir, name) : null
  const program = await startProgram({
    name,
    command: [...stubCommand, ...stubArguments(dataDir, 0)],
    env: {},
    logFile: join(dir, `${name}.log`),
  })
  return { ...program, dataDir }
}

/** Prism's command line. Its log costs more than its answers, so it is off. */
export function prismCommand({ prism: { program, document } }: BenchGround, port: number): string[] {
  return [process.execPath, program, 'mock', '--port', String(port), '--verboseLevel', 'silent', document]
}

export async function startPrism(ground: BenchGround): Promise<RunningProgram> {
  const port = await freePort()
  return startProgram({
    name: 'prism',
    command: prismCommand(ground, port),
    env: {},
    logFile: join(ground.dir, 'prism.log'),
    listensAt: `http://127.0.0.1:${port}`,
  })
}

/** What both serve: the document that the stub prints. @returns Its file. */
export function writeDocument(stubCommand: readonly string[], dir: string): string {
  const [file = '', ...args] = stubCommand
  const document = join(dir, 'openapi.json')
  writeFileSync(document, execFileSync(file, [...args, 'openapi']))
  return document
}
