import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { until } from '../../../scripts/until.ts'
import { goodReply } from '../fixtures/fake-platform.ts'
import { eligible, namesIn, purchase, putRequest, startTestSpool, type TestSpool } from '../fixtures/spool-fixture.ts'

const heartbeat = (spool: TestSpool) => JSON.parse(readFileSync(join(spool.root, 'agent.json'), 'utf8'))
const isLinkReason = (spool: TestSpool) =>
  until(() => {
    spool.clock.advance(5_000)
    return heartbeat(spool).reasons.some((reason: string) =>
      /box is a link, and nothing is read or written/.test(reason),
    )
  })

test('behind a link in the place of the outbox no file is read, renamed or removed, and agent.json says so', async () => {
  await using spool = await startTestSpool()
  const foreign = join(spool.root, 'foreign')
  mkdirSync(foreign)
  putRequest(foreign, 'stolen', purchase)
  renameSync(spool.outbox, `${spool.outbox}.away`)
  symlinkSync(foreign, spool.outbox)
  await isLinkReason(spool)
  await spool.looked()
  expect(readdirSync(foreign)).toEqual(['stolen.json'])
  expect(spool.platform.requests).toHaveLength(0)
  rmSync(spool.outbox)
  renameSync(`${spool.outbox}.away`, spool.outbox)
  spool.put('ask-1', eligible)
  expect(await spool.take('ask-1')).toMatchObject({ ok: true })
})

test('behind a link in the place of the inbox no file is written or set aside, and the answer comes afterwards', async () => {
  await using spool = await startTestSpool()
  const { promise: replaced, resolve: letGo } = Promise.withResolvers<void>()
  spool.platform.reply = async (request) => {
    await replaced
    return goodReply(request)
  }
  const foreign = join(spool.root, 'foreign')
  mkdirSync(foreign)
  writeFileSync(join(foreign, 'buy-1.json'), 'precious')
  spool.put('buy-1', purchase)
  await spool.platform.arrived(1)
  renameSync(spool.inbox, `${spool.inbox}.away`)
  symlinkSync(foreign, spool.inbox)
  letGo()
  await isLinkReason(spool)
  expect(readdirSync(foreign)).toEqual(['buy-1.json'])
  expect(readFileSync(join(foreign, 'buy-1.json'), 'utf8')).toBe('precious')
  rmSync(spool.inbox)
  renameSync(`${spool.inbox}.away`, spool.inbox)
  spool.clock.advance(1_000)
  expect(await spool.take('buy-1')).toMatchObject({ ok: true, transactionId: 42 })
  expect(spool.platform.requests).toHaveLength(1)
})

for (const dir of ['outbox', 'inbox'] as const) {
  test(`an ${dir} that is a link ends the start with its cure`, async () => {
    await using spool = await startTestSpool({ start: 'later' })
    mkdirSync(spool.root, { recursive: true })
    mkdirSync(join(spool.root, 'elsewhere'))
    symlinkSync(join(spool.root, 'elsewhere'), spool[dir])
    await expect(spool.start()).rejects.toThrow(
      /SERVICE_SPOOL_DIR: .*box is a link, .*\. Put a directory in the place of the link/,
    )
    expect(namesIn(join(spool.root, 'elsewhere'))).toEqual([])
  })
}

test('another directory in the place of the outbox is worked with, and reported', async () => {
  await using spool = await startTestSpool()
  await spool.looked()
  const other = join(spool.root, 'other')
  mkdirSync(other)
  renameSync(spool.outbox, `${spool.outbox}.away`)
  renameSync(other, spool.outbox)
  spool.put('ask-1', eligible)
  expect(await spool.take('ask-1')).toMatchObject({ ok: true })
  expect(spool.logText()).toContain('a directory of the spool was replaced by another one')
  expect(existsSync(`${spool.outbox}.away`)).toBe(true)
})

for (const [mode, warns] of [
  [0o2770, true],
  [0o757, true],
  [0o2750, false],
  [0o755, false],
] as const) {
  test.skipIf(process.platform === 'win32')(
    `a root with mode ${mode.toString(8)} is ${warns ? '' : 'not '}reported as one whose directories others can replace`,
    async () => {
      await using spool = await startTestSpool({
        before: ({ root }) => {
          mkdirSync(root, { recursive: true })
          chmodSync(root, mode)
        },
      })
      const line = `others may write in ${spool.root} and put other directories in the place of outbox and inbox. Run: chmod go-w ${spool.root}`
      expect(spool.logText().includes(line)).toBe(warns)
    },
  )
}
