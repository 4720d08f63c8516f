import { machineTime } from '../clock/machine-time.ts'
import { ScenarioError } from '../developer/scenarios/scenario-errors.ts'
import { defaultSettings, type Settings } from '../marketplace/settings.ts'
import { makeLog } from '../server/log.ts'
import { type StubOptions, startPlatformStub } from '../server/platform-stub.ts'
import { makeRandom } from '../server/random.ts'
import { standardOutput } from '../server/standard-output.ts'
import { exitCodes } from '../user-error.ts'

/** The end waits this long for somebody to read the last lines of the log. */
const lastLinesMs = 1_000

/** The flags of `serve`. Durations in ms. */
export interface ServeFlags {
  readonly host: string
  readonly port: number
  readonly publicUrl?: string
  readonly developerPort?: number
  readonly dataDir: string
  readonly memory?: true
  readonly paymentExpiry: number
  readonly observationFreshness: number
  readonly completionDelay: number
  readonly linkExpiry: number
  readonly seed?: string
  readonly scenario?: string
  readonly allowOfferReplay?: true
}

/**
 * Runs the platform until SIGTERM, SIGINT or SIGHUP.
 *
 * @throws {UserError} It could not be started.
 */
export async function serve(flags: ServeFlags, program: { readonly name: string; readonly version: string }) {
  // Registered before anything starts: a signal may come right after the first log line.
  const signal = new Promise<NodeJS.Signals>((resolve) => {
    for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.once(name, resolve)
  })
  const output = await standardOutput()
  const settings = settingsOf(flags)
  const dataDirectory = flags.memory ? null : flags.dataDir
  const { scenario = null, seed = null } = flags
  const prepare = scenario === null ? undefined : await preparationOf(scenario)
  const stub = await startPlatformStub({
    ...(prepare && { prepare }),
    host: flags.host,
    port: flags.port,
    publicUrl: flags.publicUrl ?? null,
    developerPort: flags.developerPort ?? null,
    dataDirectory,
    settings,
    time: machineTime,
    random: makeRandom(seed),
    makeLog: (nowMs) => makeLog(output, nowMs),
    service: `${program.name} ${program.version}`,
    onFatal(error) {
      process.stderr.write(`${program.name}: ${error.message}: ${String(error.cause)}\n`)
      process.exit(exitCodes.failed)
    },
  })
  const { log, url, publicUrl, developerUrl } = stub
  output.onReadAgain((linesLost) => log.warn({ linesLost }, 'lines of the log were lost: nobody read them'))
  const addresses = {
    url,
    publicUrl,
    ...(developerUrl !== url && { developerUrl }),
    console: `${developerUrl}/console`,
  }
  log.info({ ...addresses, version: program.version, dataDirectory, seed, scenario, ...settings }, 'listening')
  log.info({ signal: await signal }, 'ending')
  await stub.close()
  log.info('ended')
  const { promise: isOver, resolve: giveUp } = Promise.withResolvers<void>()
  machineTime.setTimer(lastLinesMs, giveUp)
  await Promise.race([output.flushed(), isOver])
  // Output that nobody reads would keep the process alive.
  process.exit()
}

/** Prepares the state of a scenario. Loaded only if one is given, so that other starts do not wait for it. */
async function preparationOf(file: string): Promise<NonNullable<StubOptions['prepare']>> {
  const [{ readScenario }, { stageScenario }] = await Promise.all([
    import('../developer/scenarios/read-scenario.ts'),
    import('../developer/scenarios/stage.ts'),
  ])
  const scenario = await namingFile(file, () => readScenario(file))
  return (parts, stubUrl) => namingFile(file, () => stageScenario(scenario, parts, stubUrl))
}

async function namingFile<Result>(file: string, work: () => Result | Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    throw error instanceof ScenarioError ? new ScenarioError(error.lines.map((line) => `${file}: ${line}`)) : error
  }
}

function settingsOf(flags: ServeFlags): Settings {
  return {
    ...defaultSettings,
    paymentExpiryMs: flags.paymentExpiry,
    observationFreshnessMs: flags.observationFreshness,
    completionDelayMs: flags.completionDelay,
    linkExpiryMs: flags.linkExpiry,
    allowOfferReplay: flags.allowOfferReplay ?? false,
  }
}
