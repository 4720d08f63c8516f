import { readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { expect, test } from 'vitest'
import { agentEdge, type Edge, outsideModules, pureNames, stubEdge } from './edges.ts'
import { parseSource, readSourceFiles, type SourceFile } from './source-files.ts'

const edges: readonly Edge[] = [stubEdge, agentEdge]
const isIn = (path: string, places: readonly string[]) => places.some((place) => path.startsWith(place))
const isBelow = (path: string, { below, adapters }: Edge) => isIn(path, below) && !isIn(path, adapters)

/** Ways from a file below the edge to the outside, but through what the composition hands in. */
function waysOut({ path, valueImports, namesFrom }: SourceFile, { adapters }: Edge): string[] {
  const isPure = (specifier: string) => {
    const names = namesFrom(specifier)
    return names.length > 0 && names.every((name) => pureNames[specifier]?.includes(name))
  }
  const wrong = valueImports.filter((specifier) => {
    const [name = '', scoped] = specifier.split('/')
    const isOutside = outsideModules.includes(name) || outsideModules.includes(`${name}/${scoped}`)
    return isOutside ? !isPure(specifier) : isIn(posix.join(posix.dirname(path), specifier), adapters)
  })
  return wrong.map((specifier) => `${path} imports ${specifier}`)
}

test.each(edges)('below its edge, a program reaches outside only through what it is given', (edge) => {
  const files = readSourceFiles().filter(({ path }) => isBelow(path, edge))
  expect(files.length).toBeGreaterThan(40)
  // The store's transactions are the database's: they try the disk themselves when the database says that it is full.
  const allowed = ['platform-stub/server/open-platform.ts imports ../store/transact.ts']
  expect(files.flatMap((file) => waysOut(file, edge)).filter((way) => !allowed.includes(way))).toEqual([])
})

test('the linter refuses clocks, timers and chance in the same files', () => {
  const { overrides } = JSON.parse(readFileSync(join(import.meta.dirname, '../../biome.json'), 'utf8'))
  const globs = edges.flatMap(({ below, adapters }) => [
    ...below.map((place) => (place.endsWith('/') ? `${place}**` : place)),
    ...adapters.map((place) => `!${place}`),
  ])
  expect(overrides[0].includes).toEqual(['contract/**', ...globs])
})

test.each([
  ["import { readFileSync } from 'node:fs'", 1],
  ["import { request } from 'node:http'", 1],
  ["import { setTimeout } from 'node:timers/promises'", 1],
  ["import { DatabaseSync } from 'node:sqlite'", 1],
  ["export { fetch } from 'undici'", 1],
  ["const { readFile } = await import('node:fs/promises')", 1],
  ["import { hash, randomUUID } from 'node:crypto'", 1],
  ["import * as fs from 'node:fs'", 1],
  ["const { hash } = await import('node:crypto')", 1],
  ["import { constants } from 'node:fs'", 0],
  ["import { machineTime } from '../clock/machine-time.ts'", 1],
  ["import type { DatabaseSync } from 'node:sqlite'", 0],
  ["import { type IncomingMessage } from 'node:http'", 0],
  ["import { hash } from 'node:crypto'", 0],
  ["import { StubClock } from '../clock/clock.ts'", 0],
])('%s leads outside %i times', (text, count) => {
  expect(waysOut(parseSource('platform-stub/webhooks/a.ts', text), stubEdge).length).toBe(count)
})
