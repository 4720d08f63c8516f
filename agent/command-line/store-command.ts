import { systemClock } from '../clock/system-clock.ts'
import { type AgentConfig, readAgentConfig } from '../config/config.ts'
import { readStoreUrl } from '../config/store-url.ts'
import { hostFiles } from '../durable-files/host-files.ts'
import { say } from '../language/say.ts'
import { trustedCas } from '../platform/trusted-cas.ts'
import { connectToStore } from '../postgres/connect.ts'
import { Database } from '../postgres/database.ts'
import { addToStateDir, type KeptState, readStateDir, retireStateDir } from '../postgres/kept-state.ts'
import { addToStore, takeFromStore } from '../postgres/move-state.ts'
import { prepareSchema } from '../postgres/prepare-schema.ts'
import { stateIdOf } from '../postgres/state-id.ts'
import { realOutside } from '../real-outside.ts'
import { exitCodes } from './exit-codes.ts'
import { explainFailedStart } from './failed-start.ts'
import { readConfig } from './read-config.ts'

/** One of the two. `true`: the address is in the settings, where no list of processes shows its password. */
export interface MoveFlags {
  readonly config?: string
  readonly to?: string | true
  readonly from?: string | true
}

const timeoutMs = 60_000

/** `market-agent store move`: moves what a stopped agent keeps, all or nothing. It can be repeated. */
export async function moveStore({ config: file, to, from }: MoveFlags): Promise<void> {
  const config = readConfig(file, readAgentConfig)
  if (!config) return
  const given = to ?? from
  const urlText = given === true ? config.storeUrl : given
  if ((to === undefined) === (from === undefined) || urlText === undefined)
    return fail(say`give --to or --from, with the address of the store or with SERVICE_STORE_URL in the settings`)
  try {
    const database = await open(config, urlText)
    if (!database) return
    try {
      const owner = `process ${process.pid}, store move`
      const dir = { setting: 'SERVICE_STATE_DIR', path: config.stateDir, mode: 0o700 } as const
      const ownership = realOutside.takeOwnership(dir, owner)
      const kept = to === undefined ? await moveBack(config, database) : await moveAway(config, database)
      ownership.release()
      const { calls, orders } = kept
      process.stdout.write(`${say`moved: ${calls.length} ids, ${orders.length} orders`}\n`)
    } finally {
      await database.close()
    }
  } catch (error) {
    const { message, exitCode } = explainFailedStart(error, config)
    fail(message, exitCode)
  }
}

async function moveAway({ stateDir, world }: AgentConfig, database: Database): Promise<KeptState> {
  const { lateMs } = readStateDir(stateDir, systemClock)
  if (lateMs > 0) {
    const waits = say`waits ${Math.ceil(lateMs / 1_000)} s, because requests of an agent that was killed may still arrive`
    process.stdout.write(`${waits}\n`)
    await systemClock.sleep(lateMs)
  }
  const kept = { ...readStateDir(stateDir, systemClock), lateMs: 0 }
  await addToStore(database, { stateDirId: stateIdOf(hostFiles, stateDir), world }, kept)
  retireStateDir(stateDir)
  return kept
}

function moveBack({ stateDir, world }: AgentConfig, database: Database): Promise<KeptState> {
  return takeFromStore(database, world, (kept) => addToStateDir(stateDir, systemClock, kept))
}

async function open({ extraCa }: AgentConfig, urlText: string): Promise<Database | undefined> {
  const reading = readStoreUrl(urlText)
  if (!reading.ok) return fail(say`the address of the store ${reading.problem}`)
  const options = { ca: trustedCas(extraCa), timeoutMs, applicationName: 'market-agent store move' }
  return Database.open({
    url: reading.url,
    connect: (at, onEnd) => connectToStore(at, options, onEnd),
    clock: systemClock,
    prepare: prepareSchema,
    onLeaseLost: () => undefined,
    onChange: () => undefined,
  })
}

function fail(problem: string, exitCode: number = exitCodes.usage): undefined {
  process.stderr.write(`market-agent store: ${problem}\n`)
  process.exitCode = exitCode
}
