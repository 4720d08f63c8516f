import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { until } from '../../../scripts/until.ts'
import { agentHome, processPublicKey, spawnAgent } from '../fixtures/agent-process.ts'
import { FakePlatform } from '../fixtures/fake-platform.ts'
import { purchase, putRequest } from '../fixtures/spool-fixture.ts'

const preload = join(import.meta.dirname, '..', '..', 'crash', 'hook', 'preload.ts')

/**
 * The calls to disk and network of an agent that answers one purchase through a file, in their order.
 *
 * @param write.before What is there when it starts. @param write.after What comes when it listens.
 */
async function callsOfOnePurchase(
  write: Partial<Record<'before' | 'after', (outbox: string) => void>>,
): Promise<string[]> {
  await using platform = await FakePlatform.start(processPublicKey)
  using home = agentHome(platform.url)
  const outbox = join(home.spoolDir, 'outbox')
  mkdirSync(outbox, { recursive: true })
  write.before?.(outbox)
  const reportFile = join(home.dir, 'calls')
  const env = { SERVICE_SPOOL_DIR: home.spoolDir, CRASH_ROOT: home.dir, CRASH_FAULT: 'EIO', CRASH_REPORT: reportFile }
  await using agent = spawnAgent(home, { env, nodeArgs: ['--import', preload] })
  await agent.listening
  write.after?.(outbox)
  await until(() => readFileSync(join(home.spoolDir, 'inbox', 'buy-1.json'), 'utf8'))
  await agent.stop()
  return JSON.parse(readFileSync(reportFile, 'utf8')) as string[]
}

const changes = /^(?:rename|unlink|sync|send|receive|run statement)/
const besides = /ballast|in spool$/

test('what was sent is kept, then synced under a name of its own, and shown by the one rename that uses it up', async () => {
  const calls = await callsOfOnePurchase({ after: (outbox) => putRequest(outbox, 'buy-1', purchase) })
  const claimed = calls.slice(calls.indexOf('rename request or answer in outbox'))
  // The answer to the question for the platform's clock, asked at the start, may come after the claim.
  const sent = claimed.indexOf('send request to the platform')
  const isOfTheStart = (call: string, at: number) => at < sent && call.startsWith('receive')
  const steps = claimed.filter((call, at) => changes.test(call) && !besides.test(call) && !isOfTheStart(call, at))
  expect(steps.slice(0, 13)).toEqual([
    'rename request or answer in outbox',
    'sync outbox',
    'run statement',
    'sync journal.db-wal',
    'send request to the platform',
    'receive answer of the platform',
    'run statement',
    'sync journal.db-wal',
    'sync temporary in outbox',
    'rename temporary in outbox',
    'sync outbox',
    'unlink claim in outbox',
    'rename done in outbox',
  ])
  // The agent ends cleanly, and notes that none of its calls may arrive late.
  expect(steps.slice(13).sort()).toEqual(['run statement', 'sync inbox', 'sync outbox'])
})

test('what a killed agent did last is synced by the next start, its answers first, before anything else changes', async () => {
  const before = (outbox: string) => {
    writeFileSync(join(outbox, 'buy-1.json.claim-x'), JSON.stringify(purchase))
    writeFileSync(join(outbox, 'buy-1.json.done'), '{"ok":true}')
  }
  // The answer may be a refusal, which can be seen only when the claim is gone for good.
  const wanted = ['sync inbox', 'sync outbox', 'unlink claim in outbox', 'sync outbox', 'rename done in outbox']
  const calls = await callsOfOnePurchase({ before })
  expect(calls.filter((call) => wanted.includes(call)).slice(0, 5)).toEqual(wanted)
})
