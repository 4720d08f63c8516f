import { expect, test } from 'vitest'
import { clockOver } from '../../../agent/clock/clock.ts'
import { patientFs } from '../../../agent/durable-files/retries.ts'
import { startHost } from '../../simulation/fixtures/start-host.ts'

const made = { calls: ['rename'], codes: ['EBUSY'], rate: 1, times: 1, isMade: true }
const notMade = { ...made, isMade: false }
const failsOnce = { codes: ['EIO'] }

/** Renames a file on a disk that fails once, and tells the names that are there afterwards, or the error. */
async function renameOn(fault: typeof made, from: string): Promise<readonly string[]> {
  const { host, random, run } = startHost()
  return run(async ({ fs, process }) => {
    fs.writeFileSync('/answer', '{}')
    host.diskFaults.add(fault, random)
    const files = patientFs(fs, clockOver(process.time))
    return files.rename(from, '/shown').then(
      () => fs.readdirSync('/'),
      (error: NodeJS.ErrnoException) => [String(error.code)],
    )
  })
}

test('a rename of a locked file is made once, whether the first try was made or not', async () => {
  for (const fault of [made, notMade]) expect(await renameOn(fault, '/answer')).toEqual(['shown'])
})

test('a disk that fails is an error of a rename that was not made', async () => {
  expect(await renameOn({ ...made, ...failsOnce }, '/answer')).toEqual(['shown'])
  expect(await renameOn({ ...notMade, ...failsOnce }, '/answer')).toEqual(['EIO'])
})

test('a rename of nothing is an error', async () => {
  expect(await renameOn({ ...notMade, times: 0 }, '/nothing')).toEqual(['ENOENT'])
})
