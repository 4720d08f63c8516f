import fs, { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { systemClock } from '../../../agent/clock/system-clock.ts'
import { hostFiles } from '../../../agent/durable-files/host-files.ts'
import { patientFs } from '../../../agent/durable-files/retries.ts'
import { SharedSyncs } from '../../../agent/durable-files/shared-syncs.ts'
import { setAsideUnread } from '../../../agent/spool/claim.ts'
import { recoverOwnFiles } from '../../../agent/spool/own-files.ts'
import { makeSpoolDirs, spoolDirs } from '../../../agent/spool/spool-dirs.ts'
import { memoryJournal } from '../fixtures/call-pipeline.ts'

const patient = patientFs(hostFiles, systemClock)

/** How often a name was looked up since the last question. */
function countLooks(): () => number {
  const { lstatSync } = fs
  let looks = 0
  fs.lstatSync = new Proxy(lstatSync, {
    apply(target, self, args) {
      looks++
      return Reflect.apply(target, self, args)
    },
  })
  syncBuiltinESMExports()
  onTestFinished(() => {
    fs.lstatSync = lstatSync
    syncBuiltinESMExports()
  })
  return () => {
    const before = looks
    looks = 0
    return before
  }
}

test('every unread answer of one id is kept, and setting the 200th aside costs as many looks as the second', async () => {
  const dirs = spoolDirs(mkdtempSync(join(tmpdir(), 'market-agent-unread-')))
  onTestFinished(() => rmSync(dirs.root, { recursive: true }))
  makeSpoolDirs(hostFiles, dirs)
  const looksSince = countLooks()
  const looks: number[] = []
  for (let n = 0; n < 200; n++) {
    writeFileSync(join(dirs.inbox, 'poll.json'), String(n))
    looksSince()
    await setAsideUnread('poll.json', { dirs, files: hostFiles, fs: patient })
    looks.push(looksSince())
  }
  expect(looks.at(-1)).toBe(looks[1])
  const kept = fs.readdirSync(dirs.inbox).map((name) => Number(readFileSync(join(dirs.inbox, name), 'utf8')))
  expect(kept.sort((a, b) => a - b)).toEqual(Array.from({ length: 200 }, (_, n) => n))
})

test('an unread answer stays when the answer of a killed agent is published under its name', async () => {
  const dirs = spoolDirs(mkdtempSync(join(tmpdir(), 'market-agent-unread-')))
  onTestFinished(() => rmSync(dirs.root, { recursive: true }))
  makeSpoolDirs(hostFiles, dirs)
  writeFileSync(join(dirs.inbox, 'poll.json'), 'first')
  writeFileSync(join(dirs.outbox, 'poll.json.done'), 'second')
  await recoverOwnFiles({
    ...{ dirs, files: hostFiles, fs: patient, syncs: new SharedSyncs(hostFiles, systemClock) },
    ...{ journal: memoryJournal(), clock: systemClock, onIgnored: () => expect.unreachable() },
  })
  const kept = fs.readdirSync(dirs.inbox).map((name) => readFileSync(join(dirs.inbox, name), 'utf8'))
  expect(kept.sort()).toEqual(['first', 'second'])
})
