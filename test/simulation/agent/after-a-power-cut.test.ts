import { expect, test } from 'vitest'
import { clockOver } from '../../../agent/clock/clock.ts'
import { unclaim } from '../../../agent/spool/claim.ts'
import { recoverOwnFiles } from '../../../agent/spool/own-files.ts'
import { publish } from '../../../agent/spool/publish.ts'
import { memoryJournal } from '../../agent/fixtures/call-pipeline.ts'
import { claim, dirs, leftAfter, request } from '../fixtures/claimed-spool.ts'

const seeds = Array.from({ length: 40 }, (_, n) => String(n))

test.for(seeds)('a request that gets its name back survives a power cut (seed %s)', async (seed) => {
  const left = await leftAfter(seed, (spool) =>
    unclaim({ name: 'buy.json', id: 'buy', claim: 'buy.json.claim-host', claimedBefore: undefined }, spool),
  )
  expect(left).toContain('buy.json')
})

test.for(seeds)('a request that a killed agent gave its name back survives a power cut (seed %s)', async (seed) => {
  const left = await leftAfter(seed, async (spool, { fs, process }) => {
    fs.linkSync(claim, request)
    const journal = memoryJournal({ name: 'host' })
    const clock = clockOver(process.time)
    await recoverOwnFiles({ ...spool, journal, clock, onIgnored: () => expect.unreachable() })
  })
  expect(left).toContain('buy.json')
})

test.for(seeds)('a request whose refusal was read does not come back after a power cut (seed %s)', async (seed) => {
  const left = await leftAfter(seed, async (spool, { fs }) => {
    await publish('buy.json', 'buy.json.claim-host', '{"ok":false}', 'remove-for-good', spool)
    fs.unlinkSync(`${dirs.inbox}/buy.json`)
    fs.fsyncSync(fs.openSync(dirs.inbox, 'r'))
  })
  expect(left).toEqual([])
})
