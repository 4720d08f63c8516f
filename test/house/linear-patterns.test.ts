import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseSync, Visitor } from 'oxc-parser'
import { check } from 'recheck'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '..', '..')

/**
 * Patterns that may take more than linear time, each with the reason why nobody can use that. The text that they meet must
 * be the operator's own. A text that a game server, a platform or a stranger wrote is none of these.
 */
const allowed: Readonly<Record<string, string>> = {
  '^\\s*([A-Za-z_]\\w*)\\s*=\\s*(.*?)\\s*$': 'a line of the settings file',
  '\\/+$': 'SERVICE_BASE_URL',
  '-----BEGIN CERTIFICATE-----[\\s\\S]+?-----END CERTIFICATE-----': 'the file of SERVICE_CA_FILE',
}

interface Pattern {
  readonly path: string
  readonly source: string
  readonly flags: string
}

/** Every pattern of a file; `source` is empty where it is computed. */
function patternsIn(path: string, text: string): Pattern[] {
  const found: Pattern[] = []
  const computed = { path, source: '', flags: '' }
  new Visitor({
    Literal(node) {
      if ('regex' in node) found.push({ path, source: node.regex.pattern, flags: node.regex.flags })
    },
    NewExpression({ callee }) {
      if (callee.type === 'Identifier' && callee.name === 'RegExp') found.push(computed)
    },
    CallExpression({ callee }) {
      if (callee.type === 'Identifier' && callee.name === 'RegExp') found.push(computed)
    },
  }).visit(parseSync(path, text).program)
  return found
}

/** One text for each pattern that is not allowed: what it is, and what makes it slow. */
async function slowPatterns(patterns: readonly Pattern[]): Promise<string[]> {
  const slow: string[] = []
  for (const { path, source, flags } of patterns) {
    if (Object.hasOwn(allowed, source)) continue
    if (source === '') {
      slow.push(`${path}: a computed pattern cannot be checked; write it as a literal`)
      continue
    }
    const result = await check(source, flags, { timeout: 60_000 })
    if (result.status === 'safe') continue
    const why =
      result.status === 'vulnerable' ? `${result.complexity.summary} time, ${result.attack.pattern}` : 'unknown'
    slow.push(`${path}: /${source}/${flags} takes ${why}\n  Scan the text by hand, or change the pattern.`)
  }
  return slow
}

const sources = globSync('{contract,agent}/**/*.ts', { cwd: root })
const patterns = sources.flatMap((path) => patternsIn(path, readFileSync(join(root, path), 'utf8')))

test('every pattern of the agent and of contract/ takes linear time, whatever a stranger writes', async () => {
  expect(patterns.length).toBeGreaterThan(50)
  expect((await slowPatterns(patterns)).join('\n')).toBe('')
})

test('no pattern is allowed that is not there', () => {
  expect(Object.keys(allowed).filter((source) => !patterns.some((pattern) => pattern.source === source))).toEqual([])
})

test('a pattern that takes quadratic time is reported with the text that shows it, and so is a computed one', async () => {
  const text = 'text.replace(/"(?:[^"\\\\]|\\\\.)*"/gs, ""); new RegExp(text)'
  const [quadratic, computed] = await slowPatterns(patternsIn('agent/x.ts', text))
  expect(quadratic).toMatch(/^agent\/x\.ts: \/.*\/gs takes 2nd degree polynomial time, '.*'\.repeat\(/)
  expect(computed).toMatch(/a computed pattern cannot be checked/)
})
