import { type Cell, cellOf } from './cell.ts'
import type { BenchSettings, Section } from './section.ts'
import { measureInPlace, measureOnPool, type SignatureSpeed } from './signature-speed.ts'
import { signedCallsReport } from './signed-calls-report.ts'
import { measureSlice, type Slice } from './slice.ts'
import { slicesIn, startingAt } from './taking-turns.ts'
import { startTestbed, type Testbed } from './testbed.ts'
import {
  type Way,
  type WayLetter,
  wayFromOwnProcess,
  wayThroughBareSidecar,
  wayThroughProgram,
  wayThroughSimpleSidecar,
} from './ways.ts'
import type { Work } from './work.ts'

/** What is measured here, each a table. */
export type SignedWork = Exclude<Work, 'idempotent'>

/** All that was measured within seconds of each other, so that ratios inside it hold whatever the machine does. */
export interface Group {
  readonly inFlight: number
  readonly signingInPlace: SignatureSpeed
  readonly signingOnPool: SignatureSpeed
  readonly cells: Readonly<Record<SignedWork, Readonly<Record<WayLetter, Cell>>>>
}

/** Each round's groups, one for each number of calls in flight. */
export type Rounds = readonly (readonly Group[])[]

const works: readonly SignedWork[] = ['mixed', 'once']
/** Long enough for V8 to have compiled what runs often. */
const firstWarmUpS = 2
const signatureShare = 0.2

/** Signed calls per second, latency and CPU on three ways to one platform. */
export const signedCalls: Section = {
  name: 'signed-calls',
  title: 'Signed calls',
  async run(settings) {
    await using testbed = await startTestbed()
    await using agent = await wayThroughProgram('b', 'agent', settings.agentCommand, testbed)
    await using sidecar = await wayThroughSimpleSidecar(testbed)
    await using ownProcess = await wayFromOwnProcess(testbed)
    await using bareSidecar = await wayThroughBareSidecar(testbed)
    const ways = [agent, sidecar, ownProcess, bareSidecar]

    settings.progress('warming up')
    for (const way of ways) {
      for (const work of works) await way.load({ work, inFlight: 8, seconds: firstWarmUpS })
    }
    const rounds: Group[][] = []
    for (let round = 0; round < settings.rounds; round++) {
      const groups: Group[] = []
      for (const inFlight of settings.inFlight) {
        settings.progress(`round ${round + 1} of ${settings.rounds}, ${inFlight} in flight`)
        groups.push(await measureGroup(inFlight, ways, settings, testbed))
      }
      rounds.push(groups)
    }
    return signedCallsReport(rounds)
  },
}

async function measureGroup(
  inFlight: number,
  ways: readonly Way[],
  { secondsPerCell: seconds }: BenchSettings,
  testbed: Testbed,
): Promise<Group> {
  const signingInPlace = await measureInPlace(testbed.signingKey, seconds * signatureShare)
  const signingOnPool = await measureOnPool(testbed.signingKey, seconds * signatureShare)
  const cells: Partial<Record<SignedWork, Group['cells'][SignedWork]>> = {}
  for (const work of works) cells[work] = await measureCells(work, inFlight, ways, seconds, testbed)
  return { inFlight, signingInPlace, signingOnPool, cells: cells as Group['cells'] }
}

async function measureCells(
  work: SignedWork,
  inFlight: number,
  ways: readonly Way[],
  secondsPerCell: number,
  testbed: Testbed,
): Promise<Group['cells'][SignedWork]> {
  const slices: Record<WayLetter, Slice[]> = { b: [], c: [], d: [], e: [] }
  const turns = slicesIn(secondsPerCell)
  const order = { work, inFlight, seconds: secondsPerCell / turns }
  for (let turn = 0; turn < turns; turn++) {
    for (const way of startingAt(turn, ways)) slices[way.letter].push(await measureSlice(way, order, testbed))
  }
  return { b: cellOf(slices.b), c: cellOf(slices.c), d: cellOf(slices.d), e: cellOf(slices.e) }
}
