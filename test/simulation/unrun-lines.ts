import { spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** How often a part of a source ran, as V8 writes it. A part that is inside another one says more. */
interface RunPart {
  readonly startOffset: number
  readonly endOffset: number
  readonly count: number
}

/** One source in a report of V8. */
export interface RunSource {
  readonly url: string
  readonly functions: readonly { readonly ranges: readonly RunPart[] }[]
}

const programDir = join(import.meta.dirname, '../../agent')

/** Runs the simulation with these arguments, and prints each line of the agent that no world has run. A fault there is never found. */
export async function printUnrunLines(args: readonly string[]): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), 'unrun-'))
  try {
    const env = { ...process.env, NODE_V8_COVERAGE: dir }
    const child = spawn(process.execPath, [join(import.meta.dirname, 'simulate.ts'), ...args], {
      env,
      stdio: 'inherit',
    })
    await new Promise((resolve) => child.on('exit', resolve))
    const reports = readdirSync(dir).map((name) => JSON.parse(readFileSync(join(dir, name), 'utf8')))
    printLines(reports.flatMap(({ result }) => result as readonly RunSource[]))
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}

function printLines(sources: readonly RunSource[]): void {
  const byPath = Map.groupBy(sources, ({ url }) => (url.startsWith('file:') ? fileURLToPath(url) : url))
  for (const path of [...byPath.keys()].filter((known) => known.startsWith(programDir)).sort()) {
    const lines = unrunLines(readFileSync(path, 'utf8'), byPath.get(path) ?? [])
    if (lines.length > 0) console.log(`\n${path.slice(programDir.length + 1)}\n${lines.join('\n')}`)
  }
}

/** The lines of a source of which a part has run in none of its reports, each with its number. Pure. */
export function unrunLines(text: string, reports: readonly Pick<RunSource, 'functions'>[]): readonly string[] {
  const hasRun = new Uint8Array(text.length)
  for (const { functions } of reports) {
    const counts = new Float64Array(text.length).fill(1)
    for (const { ranges } of functions)
      for (const { startOffset, endOffset, count } of ranges) counts.fill(count, startOffset, endOffset)
    for (const [at, count] of counts.entries()) if (count > 0) hasRun[at] = 1
  }
  let at = 0
  return text.split('\n').flatMap((line, n) => {
    const from = at
    at += line.length + 1
    const isUnrun = !isComment.test(line) && line.matchAll(/\w/g).some(({ index }) => hasRun[from + index] === 0)
    return isUnrun ? [`${n + 1}: ${line.trim()}`] : []
  })
}

const isComment = /^\s*(?:\/?\*|\/\/)/
