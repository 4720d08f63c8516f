import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { hostFiles } from '../../../agent/durable-files/host-files.ts'
import { OutboxScan } from '../../../agent/spool/outbox-scan.ts'
import { RequestTable, type Waiting } from '../../../agent/spool/requests.ts'
import { LiveClock } from '../fixtures/live-clock.ts'

function scanOf(names: readonly string[]) {
  const outbox = mkdtempSync(join(tmpdir(), 'market-agent-scan-'))
  onTestFinished(() => rmSync(outbox, { recursive: true }))
  for (const name of names) writeFileSync(join(outbox, name), '{}')
  const clock = new LiveClock()
  const table = new RequestTable(() => 0)
  const ignored: string[] = []
  const scan = new OutboxScan({
    outbox,
    files: hostFiles,
    clock,
    table,
    onIgnored: (name, why) => ignored.push(`${name}: ${why}`),
  })
  const waiting = (): readonly Waiting[] => [...table.waiting]
  const defer = (request: Waiting) => {
    table.activate(request)
    table.defer(request, clock.monotonicMs() + 30_000)
  }
  return { outbox, clock, scan, table, ignored, waiting, defer }
}

test('a request that cannot be claimed is passed over for 30 s, again each time', async () => {
  const { scan, clock, waiting, defer } = scanOf(['stuck.json'])
  for (const round of [1, 2]) {
    await scan.scan()
    const [request] = waiting()
    expect(request?.id, `round ${round}`).toBe('stuck')
    if (request) defer(request)
    clock.advance(29_000)
    await scan.scan()
    expect(waiting()).toEqual([])
    clock.advance(2_000)
  }
})

test('nothing is kept of a request that could not be claimed and went away', async () => {
  const { scan, clock, table, outbox, waiting, defer } = scanOf(['gone-1.json', 'gone-2.json', 'new.json'])
  await scan.scan()
  for (const request of waiting().slice(0, 2)) {
    defer(request)
    rmSync(join(outbox, request.name))
    clock.advance(1_000)
  }
  expect(['gone-1.json', 'gone-2.json'].map((name) => table.isKnown(name))).toEqual([true, true])
  clock.advance(28_500)
  await scan.scan()
  expect(['gone-1.json', 'gone-2.json'].map((name) => table.isKnown(name))).toEqual([false, true])
  clock.advance(1_000)
  await scan.scan()
  expect(table.isKnown('gone-2.json')).toBe(false)
  expect(waiting().map(({ id }) => id)).toEqual(['new'])
})

test('names that were probably meant for requests are reported once, when they stay; temporary names are not', async () => {
  const { scan, clock, outbox, ignored } = scanOf(['meu pedido.json', 'x.JSON', 'x.txt', 'y.txt', '.z.json', 'x.tmp'])
  await scan.scan()
  expect(ignored).toEqual([])
  rmSync(join(outbox, 'y.txt'))
  for (let round = 0; round < 3; round++) {
    clock.advance(2_000)
    await scan.scan()
  }
  expect(ignored.sort()).toEqual([
    'meu pedido.json: not-a-request-name',
    'x.JSON: not-a-request-name',
    'x.txt: not-a-request-name',
  ])
})

test('after any number of mistaken names that came and went, the next one is reported, and one that comes back too', async () => {
  const { scan, clock, outbox, ignored } = scanOf([])
  const pass = async () => {
    clock.advance(2_000)
    await scan.scan()
  }
  for (let round = 0; round < 3; round++) {
    const names = Array.from({ length: 700 }, (_, n) => join(outbox, `passing-${round}-${n}.txt`))
    for (const name of names) writeFileSync(name, '{}')
    await pass()
    await pass()
    for (const name of names) rmSync(name)
    await pass()
  }
  expect(ignored).toHaveLength(2_100)
  writeFileSync(join(outbox, 'meu pedido.json'), '{}')
  writeFileSync(join(outbox, 'passing-0-0.txt'), '{}')
  await pass()
  await pass()
  expect(ignored.slice(2_100).sort()).toEqual([
    'meu pedido.json: not-a-request-name',
    'passing-0-0.txt: not-a-request-name',
  ])
})

test('of more than 1,024 mistaken names at a time the others are reported as these go', async () => {
  const { scan, clock, outbox, ignored } = scanOf(Array.from({ length: 1_100 }, (_, n) => `x-${n}.txt`))
  for (let round = 0; round < 3; round++) {
    await scan.scan()
    clock.advance(2_000)
  }
  expect(ignored).toHaveLength(1_024)
  for (const line of ignored) rmSync(join(outbox, line.split(':')[0] ?? ''))
  for (let round = 0; round < 3; round++) {
    await scan.scan()
    clock.advance(2_000)
  }
  expect(new Set(ignored).size).toBe(1_100)
})
