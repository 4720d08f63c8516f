import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseSync, Visitor } from 'oxc-parser'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '..', '..')

/** Where a text of TypeScript uses `void` on a value, or reaches for a socket. One line for each. */
function openDoors(path: string, text: string): string[] {
  const found: string[] = []
  const lineOf = (at: number) => text.slice(0, at).split('\n').length
  const report = (at: number, what: string) => found.push(`${path}:${lineOf(at)} ${what}`)
  new Visitor({
    UnaryExpression({ operator, start }) {
      if (operator === 'void') report(start, 'drops a value with `void`: a promise that fails there ends the stub.')
    },
    ImportDeclaration({ source, specifiers, start }) {
      const names = specifiers.map(({ local }) => local.name)
      const isOfServer = names.some((name) => ['ServerResponse', 'createServer'].includes(name))
      if (source.value === 'node:http' && isOfServer)
        report(start, 'reaches for a socket: only platform-stub/http/ does.')
    },
  }).visit(parseSync(path, text).program)
  return found
}

test('only the HTTP room of the stub reaches a socket, and nothing drops a promise', () => {
  const paths = globSync('platform-stub/**/*.ts', { cwd: root }).filter(
    (path) => !path.startsWith('platform-stub/http/'),
  )
  expect(paths.length).toBeGreaterThan(100)
  expect(paths.flatMap((path) => openDoors(path, readFileSync(join(root, path), 'utf8')))).toEqual([])
})

test('the rule can fail', () => {
  expect(openDoors('a.ts', 'const a = () => void work()')).toHaveLength(1)
  expect(openDoors('a.ts', "import { createServer } from 'node:http'")).toHaveLength(1)
  expect(openDoors('a.ts', "import { type ServerResponse } from 'node:http'")).toHaveLength(1)
  expect(openDoors('a.ts', "import { STATUS_CODES } from 'node:http'\nfunction a(): void {}")).toEqual([])
})
