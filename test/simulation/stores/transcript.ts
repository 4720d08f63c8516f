import { Random } from '../random.ts'
import { type NewStore, processEnds, type StoreSession } from './store-under-test.ts'

/** Something that a process may do with a store. It returns what it did, in words. */
export type Step<Store> = (session: StoreSession<Store>, random: Random) => Promise<string>

const processesMax = 5
const stepsMax = 12
/** Never at the border of a window, which is a number of minutes. */
const minutesAndABitMs = (minutes: number) => minutes * 60_000 + 1_000

/** Steps that every store has. */
const commonSteps: readonly Step<unknown>[] = [
  async ({ pass }, random) => {
    const minutes = random.integer(0, 12)
    await pass(minutesAndABitMs(minutes))
    return `${minutes} minutes pass`
  },
  async ({ setWallClock }, random) => {
    const minutes = random.integer(-60, 60)
    setWallClock(minutesAndABitMs(minutes))
    return `the clock is set by ${minutes} minutes`
  },
  async ({ setFull }, random) => {
    const isFull = random.happens(0.5)
    await setFull(isFull)
    return isFull ? 'the disk is full' : 'the disk has room'
  },
]

/**
 * Lets several processes, one after another, do with a store what a seed says, and writes down all that they could see.
 *
 * @param look What a process sees of the store after each step.
 */
export async function transcriptOf<Store>(
  seed: string,
  newStore: NewStore<Store>,
  steps: readonly Step<Store>[],
  look: (store: Store) => Promise<unknown>,
): Promise<readonly string[]> {
  await using disk = await newStore()
  const random = new Random(seed)
  const lines: string[] = []
  for (let processes = random.integer(1, processesMax); processes > 0; processes--) {
    const end = random.pick(processEnds)
    await disk.run(async (session) => {
      const see = async (what: string) => lines.push(`${what}: ${JSON.stringify(await look(session.store))}`)
      await see('a process starts')
      for (let count = random.integer(0, stepsMax); count > 0; count--) {
        const step = random.pick([...steps, ...commonSteps])
        await see(await step(session, random).catch(String))
      }
      await session.setFull(false)
    }, end)
    lines.push(end)
    await disk.passBetween(minutesAndABitMs(random.integer(0, 12)))
  }
  return lines
}
