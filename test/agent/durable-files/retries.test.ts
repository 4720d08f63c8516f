import { expect, test } from 'vitest'
import { clockOver } from '../../../agent/clock/clock.ts'
import { type PatientFs, patientFs } from '../../../agent/durable-files/retries.ts'
import { startHost } from '../../simulation/fixtures/start-host.ts'

const made = { calls: ['rename', 'unlink'], codes: ['EBUSY'], rate: 1, times: 1, isMade: true }
const notMade = { ...made, isMade: false }
const failsOnce = { codes: ['EIO'] }

type Act = (files: PatientFs) => Promise<void>
const rename: Act = (files) => files.rename('/answer', '/shown')
const unlink: Act = (files) => files.unlink('/answer')

/** Acts on a file `/answer` on a disk that fails once, and tells the names that are there afterwards, or the error. */
async function actOn(fault: typeof made, act: Act): Promise<readonly string[]> {
  const { host, random, run } = startHost()
  return run(async ({ fs, process }) => {
    fs.writeFileSync('/answer', '{}')
    host.diskFaults.add(fault, random)
    return act(patientFs(fs, clockOver(process.time))).then(
      () => fs.readdirSync('/'),
      (error: NodeJS.ErrnoException) => [String(error.code)],
    )
  })
}

const acts = [
  { what: 'a rename', act: rename, after: ['shown'] },
  { what: 'an unlink', act: unlink, after: [] },
]

test.for(acts)('$what of a locked file is made once, whether the first try was made or not', async ({ act, after }) => {
  for (const fault of [made, notMade]) expect(await actOn(fault, act)).toEqual(after)
})

test.for(acts)('a disk that fails is an error of $what that was not made', async ({ act, after }) => {
  expect(await actOn({ ...made, ...failsOnce }, act)).toEqual(after)
  expect(await actOn({ ...notMade, ...failsOnce }, act)).toEqual(['EIO'])
})

test.for([
  { what: 'a rename', act: (files: PatientFs) => files.rename('/nothing', '/shown') },
  { what: 'an unlink', act: (files: PatientFs) => files.unlink('/nothing') },
])('$what of nothing is an error', async ({ act }) => {
  expect(await actOn({ ...notMade, times: 0 }, act)).toEqual(['ENOENT'])
})
