import { expect, test } from 'vitest'
import { clockOver } from '../../../agent/clock/clock.ts'
import { patientFs } from '../../../agent/durable-files/retries.ts'
import { SharedSyncs } from '../../../agent/durable-files/shared-syncs.ts'
import { type DurableSpool, unclaim } from '../../../agent/spool/claim.ts'
import { recoverOwnFiles } from '../../../agent/spool/own-files.ts'
import { makeSpoolDirs, spoolDirs } from '../../../agent/spool/spool-dirs.ts'
import { memoryJournal } from '../../agent/fixtures/call-pipeline.ts'
import { type ScriptParts, startHost } from '../fixtures/start-host.ts'

const dirs = spoolDirs('/spool')
const request = '/spool/outbox/buy.json'
const claim = `${request}.claim-host`
const seeds = Array.from({ length: 40 }, (_, n) => String(n))

/** A spool with one claim, all on the disk. */
function claimedSpool({ fs, process }: ScriptParts): DurableSpool {
  const clock = clockOver(process.time)
  const files = { ...fs, user: { uid: 0, gid: 0 }, newName: () => 'name' }
  fs.mkdirSync(dirs.root)
  makeSpoolDirs(files, dirs)
  fs.writeFileSync(claim, '{}')
  for (const path of [claim, dirs.outbox, dirs.root, '/']) fs.fsyncSync(fs.openSync(path, 'r'))
  return { dirs, files, fs: patientFs(files, clock), syncs: new SharedSyncs(files, clock) }
}

/** The names that a power cut leaves in the outbox after some steps with a claim. */
async function leftAfter(seed: string, steps: (spool: DurableSpool, parts: ScriptParts) => Promise<unknown>) {
  const { host, run, cutPower } = startHost(seed)
  await run((parts) => steps(claimedSpool(parts), parts))
  cutPower()
  return host.disk.namesIn(dirs.outbox)
}

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
