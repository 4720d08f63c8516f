import { mkdirSync, readFileSync, rmdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { until } from '../../../scripts/until.ts'
import { eligible, purchase, startTestSpool } from '../fixtures/spool-fixture.ts'

test('an agent that cannot store anything refuses calls with an id, says why and what to do, and is not ready until it can', async () => {
  await using spool = await startTestSpool({
    before: ({ stateDir }) => mkdirSync(join(stateDir, 'ballast'), { recursive: true }),
  })
  const heartbeat = () => JSON.parse(readFileSync(join(spool.root, 'agent.json'), 'utf8')) as Record<string, unknown>
  const beat = (ready: boolean) => until(() => heartbeat()['ready'] === ready || void spool.clock.advance(5_000))
  const reason = /^calls with an id are refused, because .* cannot be written: move away that directory/
  expect(heartbeat()['reasons']).toContainEqual(expect.stringMatching(reason))
  for (const [id, request] of [
    ['buy-1', purchase],
    ['ask-1', eligible],
  ] as const) {
    spool.put(id, request)
    expect(await spool.take(id)).toMatchObject({ ok: false, status: 503 })
  }
  expect(spool.platform.requests).toHaveLength(0)
  const warnings = spool
    .logText()
    .split('\n')
    .filter((line) => line.includes('"level":"warn"'))
  expect(warnings).toHaveLength(1)
  expect(JSON.parse(warnings[0] ?? '')).toMatchObject({ cause: expect.stringContaining('EISDIR') })

  rmdirSync(join(spool.stateDir, 'ballast'))
  spool.put('buy-3', purchase)
  expect(await spool.take('buy-3')).toMatchObject({ ok: true })
  await beat(true)
  expect(spool.logText()).toContain('calls with an id are taken again')
})

test('an agent that cannot store anything is ready again within a second of the cure, without a call', async () => {
  await using spool = await startTestSpool({
    before: ({ stateDir }) => mkdirSync(join(stateDir, 'ballast'), { recursive: true }),
  })
  rmdirSync(join(spool.stateDir, 'ballast'))
  spool.clock.advance(1_000)
  await until(() => spool.logText().includes('calls with an id are taken again'))
})
