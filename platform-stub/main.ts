import { Command, CommanderError, Option } from 'commander'
import manifest from '../package.json' with { type: 'json' }
import { parseDuration, parseHttpUrl, parseOrigin, parsePort } from './commands/options.ts'
import type { ProbeFlags } from './commands/probe-webhook/probe-command.ts'
import type { ProvisionFlags } from './commands/provision.ts'
import type { ServeFlags } from './commands/serve-command.ts'
import { addTriggerEvents } from './commands/trigger.ts'
import { exitCodes, UserError } from './store/user-error.ts'

// Each command is loaded when it is asked for: a start must not wait for the others.

const defaultAddress = { host: '127.0.0.1', port: 8_787 } as const
const defaultStubUrl = `http://${defaultAddress.host}:${defaultAddress.port}`

const program = new Command('platform-stub')
  .description('The whole marketplace platform, to develop and test against. Never a product.')
  .version(manifest.version)
  .exitOverride()

program
  .command('serve')
  .description('runs the platform until SIGTERM, SIGINT or SIGHUP')
  .addOption(new Option('--host <address>', 'address to listen on').default(defaultAddress.host))
  .addOption(new Option('--port <number>', '0 takes a free port').default(defaultAddress.port).argParser(parsePort))
  .addOption(new Option('--public-url <url>', 'address as players and game servers see it').argParser(parseOrigin))
  .addOption(
    new Option(
      '--developer-port <number>',
      'port on 127.0.0.1 of the control routes and the console where --public-url or --host open the stub to others; 0 takes a free port, default is the port above',
    ).argParser(parsePort),
  )
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
  .action(async (flags: ServeFlags) => {
    const { serve } = await import('./commands/serve-command.ts')
    await serve(flags, { name: program.name(), version: manifest.version })
  })

program
  .command('provision')
  .description('registers a game server and writes agent.env, signing-key.pem and platform-public-key.pem')
  .addOption(new Option('--url <stub>', 'the running stub').makeOptionMandatory().argParser(parseOrigin))
  .addOption(new Option('--name <name>', 'of the game server').makeOptionMandatory())
  .addOption(new Option('--webhook-url <url>', 'where webhooks go').argParser(parseHttpUrl))
  .addOption(
    new Option(
      '--bridge',
      'the agent receives the webhooks: --webhook-url is its address, http://127.0.0.1:8898/webhook if left out',
    ),
  )
  .addOption(
    new Option('--forward-url <url>', 'where the game server takes orders by POST; implies --bridge')
      .argParser(parseHttpUrl)
      .implies({ bridge: true }),
  )
  .addOption(new Option('--agent-port <number>', "port of the agent's HTTP interface").argParser(parsePort))
  .addOption(new Option('--spool-dir <folder>', "turns the agent's file interface on"))
  .addOption(new Option('--state-dir <folder>', 'where the agent keeps its state'))
  .addOption(new Option('--out <folder>', 'made if missing').makeOptionMandatory())
  .action(async (flags: ProvisionFlags) => {
    endQuietlyWithoutReader()
    const { provision } = await import('./commands/provision.ts')
    const { gameServerId, envFile } = await provision(flags)
    process.stdout.write(`Game server ${gameServerId}: ${envFile}\n`)
  })

addTriggerEvents(program.command('trigger').description("does from a shell what the console's buttons do"), () =>
  new Option('--url <stub>', 'the running stub').default(defaultStubUrl).argParser(parseOrigin),
)

program
  .command('probe-webhook')
  .description(
    "holds a game server's webhook receiver to the interface: sends orders without a payment, good and bad ones",
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
  .addOption(new Option('--json', 'the whole result as JSON, for programs'))
  .action(async (url: string, flags: ProbeFlags) => {
    endQuietlyWithoutReader()
    const { probe } = await import('./commands/probe-webhook/probe-command.ts')
    await probe(url, flags)
  })

program
  .command('openapi')
  .description('prints OpenAPI 3.1 of the partner interface, webhooks included')
  .action(async () => {
    endQuietlyWithoutReader()
    const { openApiDocument } = await import('./openapi/openapi-document.ts')
    process.stdout.write(`${JSON.stringify(openApiDocument(defaultStubUrl), null, 2)}\n`)
  })

/** A reader that closes the pipe early (`| head`) ends the command without a word. */
function endQuietlyWithoutReader(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
    process.exit()
  })
}

function durationOption(flags: string, description: string, preset: string): Option {
  return new Option(flags, description).default(parseDuration(preset), preset).argParser(parseDuration)
}

try {
  await program.parseAsync(process.argv)
} catch (error) {
  if (error instanceof UserError) {
    process.stderr.write(error.message.replace(/^/gm, 'platform-stub: ').concat('\n'))
    process.exitCode = error.exitCode
  } else if (error instanceof CommanderError) {
    process.exitCode = error.exitCode === 0 ? 0 : exitCodes.usage
  } else throw error
}
