import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { systemClock } from '../../../agent/clock/system-clock.ts'
import { hostFiles } from '../../../agent/durable-files/host-files.ts'
import { patientFs } from '../../../agent/durable-files/retries.ts'
import { SharedSyncs } from '../../../agent/durable-files/shared-syncs.ts'
import { recoverOwnFiles } from '../../../agent/spool/own-files.ts'
import { makeSpoolDirs, spoolDirs } from '../../../agent/spool/spool-dirs.ts'
import { memoryJournal } from '../fixtures/call-pipeline.ts'

const minuteMs = 60_000

for (const [unansweredKeptMs, claimedBefore] of [
  [10 * minuteMs, 'long-ago'],
  [12 * minuteMs, 'here'],
  [Number.POSITIVE_INFINITY, 'here'],
] as const)
  test(`a claim of 11 minutes ago is taken for ${claimedBefore} by a journal that keeps it for ${unansweredKeptMs / minuteMs} minutes`, async () => {
    const dirs = spoolDirs(mkdtempSync(join(tmpdir(), 'market-agent-old-claims-')))
    try {
      makeSpoolDirs(hostFiles, dirs)
      writeFileSync(join(dirs.outbox, 'buy.json.claim-test'), '{}')
      const clock = { ...systemClock, wallMs: () => Date.now() + 11 * minuteMs }
      const journal = memoryJournal({ unansweredKeptMs })
      const syncs = new SharedSyncs(hostFiles, systemClock)
      const onIgnored = () => expect.unreachable()
      const found = await recoverOwnFiles({
        dirs,
        files: hostFiles,
        fs: patientFs(hostFiles, systemClock),
        syncs,
        journal,
        clock,
        onIgnored,
      })
      expect(found).toMatchObject([{ id: 'buy', claimedBefore }])
    } finally {
      rmSync(dirs.root, { recursive: true })
    }
  })
