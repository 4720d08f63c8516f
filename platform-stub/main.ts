import { Command, CommanderError, Option } from 'commander'
import manifest from '../package.json' with { type: 'json' }
import { AgentFilesError } from './agent-files.ts'
import { makeChance } from './chance.ts'
import { StubClock } from './clock/clock.ts'
import { machineTime } from './clock/real-time.ts'
import { ListenError } from './http-server.ts'
import { makeLog, standardOutput } from './log.ts'
import { openApiDocument } from './openapi/document.ts'
import { parseDuration, parseHttpUrl, parseOrigin, parsePort } from './options.ts'
import { keyInFolder, keyOfStub, ProbeError } from './probe-webhook/key.ts'
import { probeWebhook } from './probe-webhook/run.ts'
import { ProvisionError, provision } from './provision.ts'
import { ScenarioError } from './scenarios/scenario-error.ts'
import { type StubOptions, startPlatformStub } from './serve.ts'
import { defaultSettings, type Settings } from './settings.ts'
import { StoreUnusableError } from './store/open.ts'

interface ServeFlags {
  readonly host: string
  readonly port: number
  readonly publicUrl?: string
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

interface ProvisionFlags {
  readonly url: string
  readonly name: string
  readonly webhookUrl?: string
  readonly out: string
}

interface ProbeFlags {
  readonly stub?: string
  readonly keyDir: string
  readonly itemRef: string
  readonly buyer: string
  readonly seller: string
}

const defaultAddress = { host: '127.0.0.1', port: 8_787 } as const
const defaultStubUrl = `http://${defaultAddress.host}:${defaultAddress.port}`

const program = new Command('platform-stub')
  .description('The whole marketplace platform, to develop and test against. Never a product.')
  .version(manifest.version)
  .exitOverride()

program
  .command('serve')
  .description('runs the platform until SIGTERM or SIGINT')
  .addOption(new Option('--host <address>', 'address to listen on').default(defaultAddress.host))
  .addOption(new Option('--port <number>', '0 takes a free port').default(defaultAddress.port).argParser(parsePort))
  .addOption(new Option('--public-url <url>', 'address as players and game servers see it').argParser(parseOrigin))
  .addOption(new Option('--data-dir <folder>', 'where the state is kept').default('.stub-data'))
  .addOption(new Option('--memory', 'keeps the state in memory').conflicts('dataDir'))
  .addOption(durationOption('--payment-expiry <duration>', 'how long a purchase waits for its payment', '30m'))
  .addOption(durationOption('--observation-freshness <duration>', 'how long a stock observation counts', '10m'))
  .addOption(durationOption('--completion-delay <duration>', 'from delivery to completion', '0s'))
  .addOption(durationOption('--link-expiry <duration>', 'how long a character link can be confirmed', '15m'))
  .addOption(new Option('--seed <text>', 'makes ids and tokens repeatable'))
  .addOption(
    new Option('--scenario <file>', 'starts an empty platform in a described state; see examples/scenarios/*.json'),
  )
  .addOption(new Option('--allow-offer-replay', 'lets repeated envelopes pass on the signature-only routes'))
  .action(serve)

program
  .command('provision')
  .description('registers a game server and writes agent.env, signing-key.pem and platform-public-key.pem')
  .addOption(new Option('--url <stub>', 'the running stub').makeOptionMandatory().argParser(parseOrigin))
  .addOption(new Option('--name <name>', 'of the game server').makeOptionMandatory())
  .addOption(new Option('--webhook-url <url>', 'where webhooks go').argParser(parseHttpUrl))
  .addOption(new Option('--out <folder>', 'made if missing').makeOptionMandatory())
  .action(async ({ url, name, webhookUrl, out }: ProvisionFlags) => {
    const { gameServerId, envFile } = await provision({ stubUrl: url, name, webhookUrl, directory: out })
    process.stdout.write(`Game server ${gameServerId}: ${envFile}\n`)
  })

program
  .command('probe-webhook')
  .description(
    "holds a game server's webhook receiver to the interface: sends orders that nobody paid, good and bad ones",
  )
  .argument('<url>', 'the receiver, one for development', parseHttpUrl)
  .addOption(new Option('--stub <url>', 'signs with the key of this running stub').argParser(parseOrigin))
  .addOption(
    new Option('--key-dir <folder>', "where the prober's own key is kept, made if missing")
      .default('.webhook-probe')
      .conflicts('stub'),
  )
  .addOption(new Option('--item-ref <ref>', 'the item that is ordered').default('probe-item'))
  .addOption(new Option('--buyer <ref>', 'the buying character').default('probe-buyer'))
  .addOption(new Option('--seller <ref>', 'the selling character').default('probe-seller'))
  .action(async (url: string, { stub, keyDir, itemRef, buyer, seller }: ProbeFlags) => {
    const hasPassed = await probeWebhook({
      url,
      key: stub ? await keyOfStub(stub) : await keyInFolder(keyDir),
      sale: { itemRef, buyerCharacterRef: buyer, sellerCharacterRef: seller },
      chance: makeChance(null),
      clock: new StubClock(machineTime, 0),
      print: (line) => process.stdout.write(`${line}\n`),
    })
    if (!hasPassed) process.exitCode = exitCodes.failed
  })

program
  .command('openapi')
  .description('prints OpenAPI 3.1 of the partner interface, webhooks included')
  .action(() => {
    // A reader who has seen enough (`| head`) is no fault.
    process.stdout.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error
    })
    process.stdout.write(`${JSON.stringify(openApiDocument(defaultStubUrl), null, 2)}\n`)
  })

function durationOption(flags: string, description: string, preset: string): Option {
  return new Option(flags, description).default(parseDuration(preset), preset).argParser(parseDuration)
}

async function serve(flags: ServeFlags): Promise<void> {
  // Listened for before anything starts: whoever has read the first log line may already end the stub.
  const signal = new Promise<NodeJS.Signals>((resolve) => {
    for (const name of ['SIGTERM', 'SIGINT'] as const) process.once(name, resolve)
  })
  const { destination, flush } = await standardOutput()
  const settings = settingsOf(flags)
  const dataDirectory = flags.memory ? null : flags.dataDir
  const seed = flags.seed ?? null
  const prepare = flags.scenario === undefined ? undefined : await preparationOf(flags.scenario)
  const stub = await startPlatformStub({
    ...(prepare && { prepare }),
    host: flags.host,
    port: flags.port,
    publicUrl: flags.publicUrl ?? null,
    dataDirectory,
    settings,
    time: machineTime,
    chance: makeChance(seed),
    makeLog: (nowMs) => makeLog(destination, nowMs),
    service: `${program.name()} ${manifest.version}`,
    failed(error) {
      flush()
      process.stderr.write(`platform-stub: ${error.message}: ${String(error.cause)}\n`)
      process.exit(exitCodes.failed)
    },
  })
  const { log, url } = stub
  const { scenario = null } = flags
  log.info(
    { url, console: `${url}/console`, version: manifest.version, dataDirectory, seed, scenario, ...settings },
    'listening',
  )
  flush()
  log.info({ signal: await signal }, 'ending')
  await stub.close()
  log.info('ended')
  flush()
}

/** What leads to a scenario's state. Loaded only where one is given: a start without must not wait for it. */
async function preparationOf(file: string): Promise<NonNullable<StubOptions['prepare']>> {
  const [{ readScenario }, { stageScenario }] = await Promise.all([
    import('./scenarios/read-scenario.ts'),
    import('./scenarios/stage.ts'),
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

/** As the agent's: 2 for usage and addresses, 3 for a state that another process holds. */
const exitCodes = { failed: 1, usage: 2, held: 3 } as const

function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : exitCodes.usage
  if (error instanceof ListenError || error instanceof ScenarioError) return exitCodes.usage
  return error instanceof StoreUnusableError && error.code === 'held' ? exitCodes.held : exitCodes.failed
}

try {
  await program.parseAsync(process.argv)
} catch (error) {
  const known = [ListenError, StoreUnusableError, ProvisionError, ProbeError, AgentFilesError, ScenarioError]
  if (error instanceof Error && known.some((kind) => error instanceof kind))
    process.stderr.write(error.message.replace(/^/gm, 'platform-stub: ').concat('\n'))
  else if (!(error instanceof CommanderError)) throw error
  process.exitCode = exitCodeOf(error)
}
