// First, so that it listens before the rest of the program is loaded.
import './command-line/stop-signal.ts'

import { Argument, Command, CommanderError, InvalidArgumentError } from 'commander'
import { operations as operationTable } from '../contract/operations.ts'
import { usageErrorInWords } from '../contract/usage-error-in-words.ts'
import manifest from '../package.json' with { type: 'json' }
import { call } from './command-line/call-command.ts'
import type { CheckFlags } from './command-line/check-command.ts'
import type { Shell } from './command-line/completion.ts'
import { exitCodes } from './command-line/exit-codes.ts'
import { operations } from './command-line/operations-command.ts'
import { orders } from './command-line/orders-command.ts'
import { nameProcess } from './command-line/process-name.ts'
import { reload } from './command-line/reload-command.ts'
import { type RunOptions, run } from './command-line/run-command.ts'
import type { SystemdFlags } from './command-line/service-command.ts'
import type { MoveFlags } from './command-line/store-command.ts'
import { prefersPortuguese, say, speakPortuguese, speaksPortuguese } from './language/say.ts'

nameProcess('market-agent')
if (prefersPortuguese(process.env, process.platform) && !isDaemon(process.argv.slice(2))) await speakPortuguese()

const titles: Readonly<Record<string, string>> = {
  'Usage:': say`Usage:`,
  'Arguments:': say`Arguments:`,
  'Options:': say`Options:`,
  'Commands:': say`Commands:`,
}

const program = new Command('market-agent')
  .description(say`Signs, sends and remembers the calls of a game server to the marketplace.`)
  .version(manifest.version, undefined, say`prints the version`)
  .helpOption('-h, --help', say`shows this help`)
  .helpCommand('help [command]', say`shows the help of a command`)
  .configureHelp({ styleTitle: (title) => titles[title] ?? title })
  .configureOutput({ outputError: (text, write) => write(speaksPortuguese() ? usageErrorInWords(text) : text) })
  .exitOverride()

const configOption = ['--config <file>', say`NAME=value lines; the environment wins`] as const

program
  .command('run')
  .description(say`the daemon; exit 2: configuration or port, 3: another agent uses the spool or the state`)
  .option('--standby', say`waits for the other agent to end and takes over at once`)
  .option(...configOption)
  .action((options: RunOptions) => run(options))

program
  .command('call')
  .description(say`one call through the running daemon; exit 0: ok, 1: refused, 2: usage`)
  .argument('<operation>', say`for example market.eligibility`)
  .argument('[-]', say`reads the input from standard input`)
  .option('--input <json>', say`the fields of the operation as a JSON object`)
  .option('--input-file <file>', say`a file that holds them`)
  .option('--id <id>', say`idempotency key: an equal call within 10 minutes gets the same answer`)
  .option(...configOption)
  .action(call)

program
  .command('operations')
  .description(say`what the running daemon can do`)
  .option('--json', say`as JSON, with a JSON Schema of each input`)
  .option(...configOption)
  .action(operations)

program
  .command('check')
  .description(
    say`settings, keys, directories, ports and the way to the platform, with cures; exit 1: something is wrong`,
  )
  .option('--json', say`as JSON`)
  .option('--offline', say`leaves out everything that needs the network`)
  .option(...configOption)
  .action(async (flags: CheckFlags) => (await import('./command-line/check-command.ts')).check(flags))

program
  .command('reload')
  .description(say`the running daemon reads keys, token and log level again; no call is lost`)
  .option(...configOption)
  .action(reload)

program
  .command('keygen')
  .description(say`makes a signing key and says what the platform needs; never overwrites a file`)
  .requiredOption('--out <dir>', say`made if missing; gets signing-key.pem (0600) and signing-key-public.pem`)
  .option('--kid <kid>', say`name of the key at the platform, if you know it already`, kidOf)
  .action(async (options: { out: string; kid?: string }) =>
    (await import('./command-line/keygen-command.ts')).keygen(options),
  )

program
  .command('orders')
  .description(say`open orders of the running daemon: what waits for the game server, and since when`)
  .option('--json', say`as JSON, as the operation orders.open answers`)
  .option('--check-now', say`asks the platform about every open order first`)
  .option('--all-worlds', say`those of the other agents that share the store too`)
  .option(...configOption)
  .action(orders)

program
  .command('status')
  .description(say`how the running daemon is: platform, keys, calls, spool, orders`)
  .option('--json', say`as JSON, as GET /status answers`)
  .option(...configOption)
  .action(async (options: { config?: string; json?: boolean }) =>
    (await import('./command-line/status-command.ts')).status(options),
  )

const service = program.command('service').description(say`prints the definition of the service for this host`)

service
  .command('systemd')
  .description(say`a unit; docs/en/operations/install-linux.md says where it goes`)
  .option('--template', say`a unit for several game servers, market-agent@NAME`)
  .option('--config <file>', say`settings of the agent; %i stands for NAME`)
  .option('--spool-dir <dir>', say`SERVICE_SPOOL_DIR of the agent; %i stands for NAME`)
  .action(async (flags: SystemdFlags) => (await import('./command-line/service-command.ts')).printSystemdUnit(flags))

service
  .command('windows')
  .description(say`a PowerShell script that installs the service`)
  .option('--name <name>', say`of the service, one for each game server`, serviceName, 'market-agent')
  .action(async (flags: { name: string }) =>
    (await import('./command-line/service-command.ts')).printWindowsService(flags),
  )

const store = program.command('store').description(say`the PostgreSQL store that agents on several hosts share`)

store
  .command('schema')
  .description(say`prints the SQL of its schema, for administrators who let no program create tables`)
  .option('--user <user>', say`of the agents; it gets the rights that they need`, 'market_agent')
  .action(async ({ user }: { user: string }) => {
    const { schemaScript } = await import('./postgres/schema-script.ts')
    process.stdout.write(schemaScript(user))
  })

store
  .command('move')
  .description(say`moves ids and orders of a stopped agent, all or nothing; it can be repeated`)
  .option('--to [url]', say`from the state directory into the store, SERVICE_STORE_URL if no address is given`)
  .option('--from [url]', say`from the store back into the state directory`)
  .option(...configOption)
  .action(async (flags: MoveFlags) => (await import('./command-line/store-command.ts')).moveStore(flags))

program
  .command('completion')
  .description(say`prints a script that completes commands and options in a shell`)
  .addArgument(new Argument('<shell>').choices(['bash', 'zsh', 'powershell']))
  .action(async (shell: Shell) => {
    const { completionScript } = await import('./command-line/completion.ts')
    process.stdout.write(completionScript(shell, program, { call: Object.keys(operationTable) }))
  })

/** The daemon writes its errors where its log goes, so both are in English. */
function isDaemon([command, ...flags]: readonly string[]): boolean {
  return command === 'run' && !flags.includes('--help') && !flags.includes('-h')
}

/** What Windows, PowerShell and a path take as it is. */
function serviceName(name: string): string {
  if (/^[A-Za-z0-9][A-Za-z0-9._-]{0,79}$/.test(name)) return name
  throw new InvalidArgumentError(
    say`only letters, digits, dots, hyphens and underscores, for example market-agent-alpha`,
  )
}

/** What `SERVICE_SIGNING_KID` takes. */
function kidOf(kid: string): string {
  if (/^[\x21-\x7e]{1,200}$/.test(kid)) return kid
  throw new InvalidArgumentError(say`1 to 200 letters, digits and signs without spaces, for example my-server-2026`)
}

// The reader of the output has gone, as `head` does.
process.stdout.on('error', () => process.exit())

try {
  await program.parseAsync(process.argv)
} catch (error) {
  if (!(error instanceof CommanderError)) throw error
  process.exitCode = error.exitCode === 0 ? exitCodes.ok : exitCodes.usage
}
