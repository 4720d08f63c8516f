import { mkdirSync, readFileSync, rmdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { eligible, eventually, purchase, startTestSpool } from '../fixtures/spool-fixture.ts'

test('a state directory that nothing can be noted in refuses once calls, says so with its cause and cure, and is not ready', async () => {
  await using spool = await startTestSpool({
    before: ({ stateDir }) => mkdirSync(join(stateDir, 'ballast'), { recursive: true }),
  })
  const heartbeat = () => JSON.parse(readFileSync(join(spool.root, 'agent.json'), 'utf8')) as Record<string, unknown>
  const beat = (ready: boolean) => eventually(() => heartbeat()['ready'] === ready || void spool.clock.advance(5_000))
  spool.put('ask-1', eligible)
  expect(await spool.take('ask-1')).toMatchObject({ ok: true })
  await beat(true)
  for (const id of ['buy-1', 'buy-2']) {
    spool.put(id, purchase)
    expect(await spool.take(id)).toMatchObject({ ok: false, status: 503 })
  }
  await beat(false)
  expect(heartbeat()['reasons']).toEqual([
    expect.stringMatching(/^once calls are refused, for .* cannot be written: free space on its disk, and see that/),
  ])
  const told = spool
    .logText()
    .split('\n')
    .filter((line) => line.includes('once calls are refused'))
  expect(told).toHaveLength(1)
  expect(JSON.parse(told[0] ?? '')).toMatchObject({ level: 'warn', cause: expect.stringContaining('EISDIR') })

  rmdirSync(join(spool.stateDir, 'ballast'))
  spool.put('buy-3', purchase)
  expect(await spool.take('buy-3')).toMatchObject({ ok: true })
  await beat(true)
  expect(spool.logText()).toContain('calls can be noted again')
})
