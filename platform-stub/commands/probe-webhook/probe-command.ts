import { StubClock } from '../../clock/clock.ts'
import { machineTime } from '../../clock/machine-time.ts'
import { makeRandom } from '../../server/random.ts'
import { exitCodes } from '../../user-error.ts'
import { keyInFolder, keyOfStub } from './key.ts'
import { outputOf } from './output.ts'
import { probeForPrograms, probeWebhook } from './run.ts'

export interface ProbeFlags {
  readonly stub?: string
  readonly keyDir: string
  readonly itemRef: string
  readonly buyer: string
  readonly seller: string
  readonly json?: boolean
}

/** `platform-stub probe-webhook URL`: a line for each probe or, with `--json`, the whole result. Exit code 1 if one failed. */
export async function probe(url: string, { stub, keyDir, itemRef, buyer, seller, json }: ProbeFlags): Promise<void> {
  // Until every probe has passed: a reader who leaves early does not know that.
  process.exitCode = exitCodes.failed
  const clock = new StubClock(machineTime, 0)
  const probing = {
    url,
    key: stub ? await keyOfStub(stub, clock) : await keyInFolder(keyDir),
    sale: { itemRef, buyerCharacterRef: buyer, sellerCharacterRef: seller },
    random: makeRandom(null),
    clock,
  }
  if (!json) {
    if (await probeWebhook({ ...probing, ...outputOf(process.stdout) })) process.exitCode = 0
    return
  }
  const report = await probeForPrograms(probing)
  process.stdout.write(`${JSON.stringify(report)}\n`)
  if (report.ok) process.exitCode = 0
}
