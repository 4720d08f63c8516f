import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { examples } from '../examples/examples.ts'

const folder = join(import.meta.dirname, '..', '..', 'examples')

test('every example runs the course and has a page in each language', () => {
  const folders = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory())
  const gameServers = folders.map(({ name }) => name).filter((name) => name !== 'scenarios')
  expect(examples.map(({ name }) => name).sort()).toEqual(gameServers.sort())
  const pages = gameServers.flatMap((name) => ['README.md', 'README.pt-BR.md'].map((page) => join(name, page)))
  expect(pages.filter((page) => !existsSync(join(folder, page)))).toEqual([])
})
