import { mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { hostFiles } from '../../../agent/durable-files/host-files.ts'
import { makeSpoolDirs, spoolDirs, spoolReasons } from '../../../agent/spool/spool-dirs.ts'

function spool() {
  const dirs = spoolDirs(mkdtempSync(join(tmpdir(), 'market-agent-health-')))
  onTestFinished(() => rmSync(dirs.root, { recursive: true }))
  makeSpoolDirs(hostFiles, dirs)
  return dirs
}

test('a problem with one file is not a reason, because the spool itself can be worked with', () => {
  const dirs = spool()
  expect(spoolReasons(hostFiles, dirs, true)).toEqual([])
  expect([...readdirSync(dirs.outbox), ...readdirSync(dirs.inbox)]).toEqual([])
})

for (const dir of ['outbox', 'inbox'] as const) {
  test(`a problem with the ${dir} is a reason until it can be worked with, also without a request`, () => {
    const dirs = spool()
    renameSync(dirs[dir], `${dirs[dir]}.away`)
    writeFileSync(dirs[dir], '')
    expect(spoolReasons(hostFiles, dirs, false)).toEqual([])
    for (const _ of [1, 2]) {
      expect(spoolReasons(hostFiles, dirs, true)).toEqual([
        {
          name: 'SERVICE_SPOOL_DIR',
          problem: expect.stringContaining('ENOTDIR'),
          cure: 'move away that file, or name another directory',
        },
      ])
    }
    rmSync(dirs[dir])
    renameSync(`${dirs[dir]}.away`, dirs[dir])
    expect(spoolReasons(hostFiles, dirs, true)).toEqual([])
    expect([...readdirSync(dirs.outbox), ...readdirSync(dirs.inbox)]).toEqual([])
  })
}

test('a spool that is gone is a reason, and no error', () => {
  const dirs = spoolDirs(join(tmpdir(), 'market-agent-no-such-spool'))
  for (const isInDoubt of [true, false])
    expect(spoolReasons(hostFiles, dirs, isInDoubt)).toMatchObject([{ problem: expect.stringContaining('ENOENT') }])
})
