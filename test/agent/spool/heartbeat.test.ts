import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { hostFiles } from '../../../agent/durable-files/host-files.ts'
import { startHeartbeat } from '../../../agent/spool/heartbeat.ts'
import { TestClock } from '../fixtures/test-clock.ts'

test('agent.json is written at the start, every 5 s, and once more at a stop', () => {
  const root = mkdtempSync(join(tmpdir(), 'market-agent-heartbeat-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  const clock = new TestClock()
  const startMs = clock.wallMs()
  const reasons: string[] = []
  const events: string[] = []
  const stop = startHeartbeat({
    root,
    files: hostFiles,
    agent: 'market-agent 0.1.0',
    clock,
    reasons: () => reasons,
    events: () => events,
    onError: (error) => {
      throw error
    },
  })
  const read = () => JSON.parse(readFileSync(join(root, 'agent.json'), 'utf8'))
  /** How long after the start it was written, in s. */
  const writtenAtS = () => Math.round((Date.parse(read().at) - startMs) / 1_000)
  expect(read()).toMatchObject({ agent: 'market-agent 0.1.0', ready: true, reasons: [], events: [] })
  expect(writtenAtS()).toBe(0)
  clock.advance(4_999)
  expect(writtenAtS()).toBe(0)
  reasons.push('the disk is full')
  events.push('transfer_order-1.json')
  clock.advance(1)
  expect(writtenAtS()).toBe(5)
  expect(read()).toMatchObject({ ready: false, reasons: ['the disk is full'], events })
  clock.advance(5_000)
  expect(writtenAtS()).toBe(10)
  clock.advance(2_000)
  stop()
  expect(writtenAtS()).toBe(12)
  expect(read()).toMatchObject({ ready: false, reasons: ['the agent was stopped'], events })
  clock.advance(60_000)
  expect(writtenAtS()).toBe(12)
})
