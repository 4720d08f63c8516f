import { cellOf } from './cell.ts'
import type { BenchSettings, Section } from './section.ts'
import { measureInPlace, measureOnPool } from './signature-speed.ts'
import { signedCallsReport } from './signed-calls-report.ts'
import type { Cells, Group, SignedWork } from './signed-calls-rounds.ts'
import { measureSlice, type Slice } from './slice.ts'
import { slicesIn, startingAt } from './taking-turns.ts'
import { startTestbed, type Testbed } from './testbed.ts'
import {
  type Way,
  type WayLetter,
  wayFromOwnProcess,
  wayThroughBareRelay,
  wayThroughBareSidecar,
  wayThroughProgram,
  wayThroughSimpleSidecar,
} from './ways.ts'

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
    await using bareRelay = await wayThroughBareRelay(testbed)
    const ways = [agent, sidecar, ownProcess, bareSidecar]

    settings.progress('warming up')
    for (const way of ways) {
      for (const work of works) await way.load({ work, inFlight: 8, seconds: firstWarmUpS })
    }
    await bareRelay.load({ work: 'mixed', inFlight: 1, seconds: firstWarmUpS })
    const rounds: Group[][] = []
    for (let round = 0; round < settings.rounds; round++) {
      const groups: Group[] = []
      for (const inFlight of settings.inFlight) {
        settings.progress(`round ${round + 1} of ${settings.rounds}, ${inFlight} in flight`)
        groups.push(await measureGroup(inFlight, ways, bareRelay, settings, testbed))
      }
      rounds.push(groups)
    }
    return signedCallsReport(rounds)
  },
}

async function measureGroup(
  inFlight: number,
  ways: readonly Way[],
  bareRelay: Way,
  { secondsPerCell: seconds }: BenchSettings,
  testbed: Testbed,
): Promise<Group> {
  const signingInPlace = await measureInPlace(testbed.signingKey, seconds * signatureShare)
  const signingOnPool = await measureOnPool(testbed.signingKey, seconds * signatureShare)
  const cells: Partial<Record<SignedWork, Cells>> = {}
  for (const work of works) {
    const taking = work === 'mixed' && inFlight === 1 ? [...ways, bareRelay] : ways
    cells[work] = await measureCells(work, inFlight, taking, seconds, testbed)
  }
  return { inFlight, signingInPlace, signingOnPool, cells: cells as Group['cells'] }
}

async function measureCells(
  work: SignedWork,
  inFlight: number,
  ways: readonly Way[],
  secondsPerCell: number,
  testbed: Testbed,
): Promise<Cells> {
  const slices: Record<WayLetter, Slice[]> = { b: [], c: [], d: [], e: [], f: [] }
  const turns = slicesIn(secondsPerCell)
  const order = { work, inFlight, seconds: secondsPerCell / turns }
  for (let turn = 0; turn < turns; turn++) {
    for (const way of startingAt(turn, ways)) slices[way.letter].push(await measureSlice(way, order, testbed))
  }
  const [b, c, d, e] = [cellOf(slices.b), cellOf(slices.c), cellOf(slices.d), cellOf(slices.e)]
  return { b, c, d, e, f: slices.f.length > 0 ? cellOf(slices.f) : undefined }
}
