import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { until } from '../../../scripts/until.ts'
import { eligible, namesIn, startTestSpool } from '../fixtures/spool-fixture.ts'

const text = JSON.stringify(eligible)
const unknown = '{"action":"market.unknown"}'

test('500 requests among 5,000 foreign names are all answered, and the foreign names stay', {
  timeout: 120_000,
}, async () => {
  await using spool = await startTestSpool({
    start: 'later',
    before: ({ outbox }) => {
      mkdirSync(outbox, { recursive: true })
      for (let n = 0; n < 5_000; n++) writeFileSync(join(outbox, `foreign-${n}.txt`), '')
      for (let n = 0; n < 500; n++) writeFileSync(join(outbox, `ask-${n}.json`), text)
    },
  })
  await spool.start()
  await until(() => namesIn(spool.inbox).length === 500)
  expect(namesIn(spool.outbox)).toHaveLength(5_000)
  expect(spool.platform.requests).toHaveLength(500)
})

// How fast 100,000 go is the benchmark's. Here it is the promise that the length of the backlog stops no request.
test('with 10,000 waiting, answers come one after another, and stopping leaves the rest where they are', {
  timeout: 120_000,
}, async () => {
  await using spool = await startTestSpool({
    start: 'later',
    before: ({ outbox }) => {
      mkdirSync(outbox, { recursive: true })
      for (let n = 0; n < 10_000; n++) writeFileSync(join(outbox, `ask-${n}.json`), n % 10 === 0 ? text : unknown)
    },
  })
  await spool.start()
  await until(() => namesIn(spool.inbox).length >= 300)
  await spool.stop()
  const left = namesIn(spool.outbox).filter((name) => !name.endsWith('.rejected'))
  const answered = namesIn(spool.inbox)
  expect(left.every((name) => /^ask-\d+\.json$/.test(name))).toBe(true)
  expect(new Set([...left, ...answered]).size).toBe(10_000)
  expect(left.length + answered.length).toBe(10_000)
})
