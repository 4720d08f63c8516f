import { generateKeyPairSync } from 'node:crypto'
import { limits } from '../../../contract/limits.ts'
import { memoryMbOf } from '../process-memory.ts'
import type { BenchSettings } from '../section.ts'
import { type BenchGround, type ContenderName, startPrism, startStub } from './contenders.ts'
import { drive } from './drive.ts'
import { furnish } from './furnish.ts'
import { type Contenders, type LoadCell, loadInTurns } from './load.ts'
import { type BenchGameServer, readyRequests, type StubWork } from './ready-requests.ts'

/** All contenders under one load, within seconds of each other. */
export interface LoadGroup {
  readonly work: StubWork
  readonly inFlight: number
  readonly cells: Readonly<Record<ContenderName, LoadCell>>
}

/** MB that are resident before the first request and after the last; null where they cannot be read. */
export interface Memory {
  readonly newMb: number | null
  readonly usedMb: number | null
}

const works: readonly StubWork[] = ['reads', 'registrations']
const warmUpRequests = 4_000

/** Requests per second, latencies and memory of all contenders, in turns. */
export async function measureLoad(
  ground: BenchGround,
  settings: BenchSettings,
): Promise<{ readonly groups: readonly LoadGroup[]; readonly memory: Readonly<Record<ContenderName, Memory>> }> {
  await using onDisk = await startStub('stub', ground)
  await using inMemory = await startStub('memory', ground, 'memory')
  await using mock = await startPrism(ground)
  const contenders: Contenders = { stub: onDisk, memory: inMemory, prism: mock }
  const signingKey = generateKeyPairSync('rsa', { modulusLength: limits.signingKeyBitsMin }).privateKey
  const server = await furnish(onDisk.url, signingKey)
  await furnish(inMemory.url, signingKey)
  const newMb = memoryOf(contenders)

  settings.progress('warming up')
  for (const work of works) {
    const requests = await readyRequests(work, warmUpRequests, server)
    for (const { url } of Object.values(contenders)) await drive(url, requests, 8)
  }
  const groups: LoadGroup[] = []
  for (let round = 0; round < settings.rounds; round++) {
    for (const inFlight of settings.inFlight) {
      settings.progress(`stub and Prism, round ${round + 1} of ${settings.rounds}, ${inFlight} in flight`)
      for (const work of works) {
        const order = { work, inFlight, secondsPerCell: settings.secondsPerCell }
        groups.push({ work, inFlight, cells: await loadInTurns(contenders, order, server) })
      }
    }
  }
  await proveStrictness(contenders, server)
  const usedMb = memoryOf(contenders)
  const memory = (name: ContenderName): Memory => ({ newMb: newMb[name], usedMb: usedMb[name] })
  return { groups, memory: { stub: memory('stub'), memory: memory('memory'), prism: memory('prism') } }
}

function memoryOf(contenders: Contenders): Record<ContenderName, number | null> {
  const { stub: onDisk, memory, prism } = contenders
  return { stub: memoryMbOf(onDisk.pid), memory: memoryMbOf(memory.pid), prism: memoryMbOf(prism.pid) }
}

/** What was measured would be worth nothing if the stub let a used envelope pass. @throws {Error} It does. */
async function proveStrictness({ stub: onDisk, memory }: Contenders, server: BenchGameServer): Promise<void> {
  for (const { url, name } of [onDisk, memory]) {
    const [request] = await readyRequests('reads', 1, server)
    if (!request) throw new Error('nothing was signed')
    await drive(url, [request], 1)
    const isRefused = await drive(url, [request], 1).then(
      () => false,
      (error: Error) => error.message.includes('401'),
    )
    if (!isRefused) throw new Error(`${name} took an envelope twice`)
  }
}
