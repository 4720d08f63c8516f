import { expect, test } from 'vitest'
import type { Log } from '../../../agent/log/log.ts'
import { spoolLog as makeSpoolLog } from '../../../agent/spool/spool-log.ts'
import { TestClock } from '../fixtures/test-clock.ts'

type Line = Readonly<Record<string, unknown>>

function spoolLog() {
  const lines: Line[] = []
  const write = (level: string) => (fields: object, msg: string) => lines.push({ level, ...fields, msg })
  const clock = new TestClock()
  const log = makeSpoolLog({ warn: write('warn'), info: write('info') } as unknown as Log, clock)
  return { log, clock, lines }
}

const failure = (code: string) => Object.assign(new Error(`${code}: it fails`), { code })

test('72 answers that cannot be written for an hour leave some lines, with counts, and one when it is over', () => {
  const { log, clock, lines } = spoolLog()
  const error = failure('ENOSPC')
  for (let second = 0; second < 3_600; second++) {
    for (let n = 0; n < 72; n++) log.onError(`buy-${n}.json`, error)
    if (second % 5 === 0) log.reportEnds()
    clock.advance(1_000)
  }
  expect(lines).toHaveLength(5)
  expect(lines[0]).toMatchObject({ level: 'warn', where: 'buy-0.json', cure: expect.stringMatching(/free space/) })
  const before = lines.length
  clock.advance(60_000)
  log.reportEnds()
  log.reportEnds()
  expect(lines.slice(before)).toEqual([
    {
      level: 'info',
      cause: 'ENOSPC: it fails',
      failures: 72 * 3_600,
      msg: 'the spool can be worked with again',
    },
  ])
})

test('a second cause is reported in addition to the first, and one that comes back is reported again', () => {
  const { log, clock, lines } = spoolLog()
  log.onError('a.json', failure('EACCES'))
  log.onError('a.json', failure('EACCES'))
  log.onError('b.json', failure('ENOSPC'))
  expect(lines.map(({ where }) => where)).toEqual(['a.json', 'b.json'])
  clock.advance(60_000)
  log.reportEnds()
  log.onError('a.json', failure('EACCES'))
  expect(lines.map(({ where, failures }) => where ?? failures)).toEqual(['a.json', 'b.json', 2, 1, 'a.json'])
})

test('100,000 refused files leave a bounded number of lines, and the rest is counted', () => {
  const { log, clock, lines } = spoolLog()
  for (let n = 0; n < 100_000; n++) log.onRejected(`bad-${n}.json`, 'half-written')
  expect(lines).toHaveLength(30)
  expect(lines[0]).toEqual({
    level: 'warn',
    name: 'bad-0.json',
    status: 400,
    reason: 'half-written',
    msg: 'request file refused',
  })
  clock.advance(60_000)
  expect(lines[30]).toEqual({
    level: 'warn',
    notLogged: 99_970,
    msg: 'request file refused: more in the last minute',
  })
  log.onRejected('bad-again.json', 'half-written')
  expect(lines[31]).toMatchObject({ name: 'bad-again.json' })
})
