import { execFileSync } from 'node:child_process'
import { mkdirSync, renameSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { limits } from '../../../contract/limits.ts'
import { until } from '../../../scripts/until.ts'
import { goodReply } from '../fixtures/fake-platform.ts'
import { eligible, namesIn, purchase, putRequest, startTestSpool } from '../fixtures/spool-fixture.ts'

test('an outbox that was removed is made again, and requests under way are answered once', async () => {
  await using spool = await startTestSpool()
  const { promise: removed, resolve: letGo } = Promise.withResolvers<void>()
  spool.platform.reply = async (request) => {
    await removed
    return goodReply(request)
  }
  spool.put('buy-1', purchase)
  await spool.platform.arrived(1)
  rmSync(spool.outbox, { recursive: true })
  await until(() => namesIn(spool.outbox).length === 0)
  letGo()
  expect(await spool.take('buy-1')).toMatchObject({ ok: true, transactionId: 42 })
  spool.put('ask-1', eligible)
  expect(await spool.take('ask-1')).toMatchObject({ ok: true })
  expect(namesIn(spool.inbox)).toEqual([])
  expect(spool.platform.requests).toHaveLength(2)
})

test('an inbox that was removed is made again', async () => {
  await using spool = await startTestSpool()
  rmSync(spool.inbox, { recursive: true })
  spool.put('ask-1', eligible)
  expect(await spool.take('ask-1')).toMatchObject({ ok: true })
})

test('answers wait while the inbox cannot be written, and then come exactly once', async () => {
  await using spool = await startTestSpool()
  const { promise: shut, resolve: letGo } = Promise.withResolvers<void>()
  spool.platform.reply = async (request) => {
    await shut
    return goodReply(request)
  }
  for (let n = 0; n < 12; n++) spool.put(`buy-${n}`, { ...purchase, itemRef: `item-${n}` })
  await spool.platform.arrived(8)
  // A plain file in its place keeps out even an agent that runs as root.
  renameSync(spool.inbox, `${spool.inbox}.away`)
  writeFileSync(spool.inbox, '')
  letGo()
  await until(() => namesIn(spool.outbox).filter((name) => name.endsWith('.done')).length === 8)
  spool.clock.advance(60_000)
  await spool.looked()
  rmSync(spool.inbox)
  renameSync(`${spool.inbox}.away`, spool.inbox)
  for (let n = 0; n < 12; n++) expect(await spool.take(`buy-${n}`)).toMatchObject({ ok: true })
  await spool.stop()
  expect(namesIn(spool.inbox)).toEqual([])
  expect(namesIn(spool.outbox)).toEqual([])
  expect(spool.platform.requests).toHaveLength(12)
})

test('directories in the place of 100 claims and 100 answers stop nothing, and each request is answered once', async () => {
  await using spool = await startTestSpool()
  const { promise: replaced, resolve: letGo } = Promise.withResolvers<void>()
  spool.platform.reply = async (request) => {
    if (request.method === 'POST') await replaced
    return goodReply(request)
  }
  const obstacle = (n: number) => join(spool.outbox, `buy-${n}.json.done`)
  for (let n = 0; n < 100; n++) mkdirSync(obstacle(n))
  for (let n = 0; n < 100; n++) spool.put(`buy-${n}`, { ...purchase, itemRef: `item-${n}` })
  await spool.platform.arrived(limits.spoolInFlightMax)
  for (const claim of namesIn(spool.outbox).filter((name) => name.includes('.claim-'))) {
    rmSync(join(spool.outbox, claim))
    mkdirSync(join(spool.outbox, claim))
  }
  letGo()
  await spool.platform.arrived(100)
  spool.put('ask-1', eligible)
  expect(await spool.take('ask-1')).toMatchObject({ ok: true })
  for (let n = 0; n < 100; n++) rmdirSync(obstacle(n))
  // As long as publishing waits at most before it is tried again.
  spool.clock.advance(1_000)
  for (let n = 0; n < 100; n++) expect(await spool.take(`buy-${n}`)).toMatchObject({ ok: true })
  await spool.stop()
  expect(namesIn(spool.outbox).filter((name) => !name.includes('.claim-'))).toEqual([])
  expect(spool.platform.requests).toHaveLength(101)
})

const canMakeImmutable = process.getuid?.() === 0 && worksImmutable()

test.skipIf(!canMakeImmutable)('an immutable request stops nothing and is answered when it no longer is', async () => {
  await using spool = await startTestSpool()
  const stuck = join(spool.outbox, 'stuck.json')
  writeFileSync(stuck, JSON.stringify(eligible))
  execFileSync('chattr', ['+i', stuck])
  // Should it have been claimed before it was immutable, the claim is the immutable one, and that is answered later.
  try {
    for (let n = 0; n < 20; n++) spool.put(`ask-${n}`, eligible)
    for (let n = 0; n < 20; n++) expect(await spool.take(`ask-${n}`)).toMatchObject({ ok: true })
  } finally {
    execFileSync('chattr', ['-R', '-i', spool.outbox])
  }
  spool.clock.advance(30_001)
  expect(await spool.take('stuck')).toMatchObject({ ok: true })
})

function worksImmutable(): boolean {
  const probe = join(import.meta.dirname, `.immutable-${process.pid}`)
  try {
    writeFileSync(probe, '')
    execFileSync('chattr', ['+i', probe], { stdio: 'ignore' })
    execFileSync('chattr', ['-i', probe])
    return true
  } catch {
    return false
  } finally {
    rmSync(probe, { force: true })
  }
}

test('outbox and inbox may be there already, with rights of their own', async () => {
  await using spool = await startTestSpool({
    before: ({ outbox, inbox }) => {
      mkdirSync(outbox, { recursive: true, mode: 0o775 })
      mkdirSync(inbox, { mode: 0o775 })
      putRequest(outbox, 'early', eligible)
    },
  })
  expect(await spool.take('early')).toMatchObject({ ok: true })
})
