import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { OutboxScan } from '../../../agent/spool/outbox-scan.ts'
import { LiveClock } from '../fixtures/live-clock.ts'

function scanOf(names: readonly string[]) {
  const outbox = mkdtempSync(join(tmpdir(), 'market-agent-scan-'))
  onTestFinished(() => rmSync(outbox, { recursive: true }))
  for (const name of names) writeFileSync(join(outbox, name), '{}')
  const clock = new LiveClock()
  return { outbox, clock, scan: new OutboxScan({ outbox, clock, leftAlone: () => undefined }) }
}

test('a request that is put off is passed over for 30 s, each time anew', async () => {
  const { scan, clock } = scanOf(['stuck.json'])
  for (const round of [1, 2]) {
    await scan.look()
    expect(scan.take()?.id, `round ${round}`).toBe('stuck')
    scan.putOff('stuck.json')
    clock.advance(29_000)
    await scan.look()
    expect(scan.take()).toBeUndefined()
    clock.advance(2_000)
  }
})

test('of a request that was put off and went away nothing is kept', async () => {
  const { scan, clock, outbox } = scanOf(['gone-1.json', 'gone-2.json', 'new.json'])
  await scan.look()
  for (const name of ['gone-1.json', 'gone-2.json']) {
    scan.take()
    scan.putOff(name)
    rmSync(join(outbox, name))
    clock.advance(1_000)
  }
  expect(scan.putOffCount).toBe(2)
  clock.advance(28_500)
  expect(scan.take()?.id).toBe('new')
  expect(scan.putOffCount).toBe(1)
  clock.advance(1_000)
  expect(scan.take()).toBeUndefined()
  expect(scan.putOffCount).toBe(0)
})
