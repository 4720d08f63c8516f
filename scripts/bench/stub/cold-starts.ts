import { generateKeyPairSync } from 'node:crypto'
import { existsSync } from 'node:fs'
import { limits } from '../../../contract/limits.ts'
import { binaryPrograms, sourcePrograms } from '../../programs.ts'
import type { BenchSettings } from '../section.ts'
import { coldStartMs } from './cold-start.ts'
import { type BenchGround, prismCommand, startStub, stubArguments } from './contenders.ts'
import { furnish } from './furnish.ts'
import { readyRequest } from './ready-requests.ts'

export type StarterName = 'executable' | 'source' | 'prism'

/** Milliseconds of each start; none where there is nothing to be started. */
export type ColdStarts = Readonly<Record<StarterName, readonly number[]>>

const startsPerRound = 3

/** From start to first answer, in turns: the stub on a directory with one purchase, which is read; Prism likewise. */
export async function measureColdStarts(ground: BenchGround, { rounds, progress }: BenchSettings): Promise<ColdStarts> {
  const name = 'cold-stub'
  const signingKey = generateKeyPairSync('rsa', { modulusLength: limits.signingKeyBitsMin }).privateKey
  const { server, dataDir } = await furnishOnce()
  const stubBy = (command: readonly string[]) => (port: number) => [...command, ...stubArguments(dataDir, port)]
  const [executable = ''] = binaryPrograms.stub
  const commands: Readonly<Partial<Record<StarterName, (port: number) => readonly string[]>>> = {
    ...(existsSync(executable) && { executable: stubBy([executable]) }),
    source: stubBy(sourcePrograms.stub),
    prism: (port) => prismCommand(ground, port),
  }
  const startsMs: Record<StarterName, number[]> = { executable: [], source: [], prism: [] }
  for (let round = 0; round < rounds; round++) {
    progress(`cold starts, round ${round + 1} of ${rounds}`)
    for (let n = 0; n < startsPerRound; n++) {
      for (const [starter, commandFor] of Object.entries(commands)) {
        const request = await readyRequest('transaction.get', { transactionId: server.transactionId }, server)
        startsMs[starter as StarterName].push(await coldStartMs(commandFor, request, ground.dir))
      }
    }
  }
  return startsMs

  async function furnishOnce() {
    await using stub = await startStub(name, ground)
    return { server: await furnish(stub.url, signingKey), dataDir: stub.dataDir }
  }
}
