import { Argument, Command, CommanderError, InvalidArgumentError } from 'commander'
import { operations as operationTable } from '../contract/operations.ts'
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

nameProcess('market-agent')

const program = new Command('market-agent')
  .description('Signs, sends and remembers the calls of a game server to the marketplace.')
  .version(manifest.version)
  .exitOverride()

const configOption = ['--config <file>', 'NAME=value lines; the environment wins'] as const

program
  .command('run')
  .description('the daemon; exit 2: configuration or port, 3: another agent uses the spool or the state')
  .option('--standby', 'waits for the other agent to end and takes over at once')
  .option(...configOption)
  .action((options: RunOptions) => run(options))

program
  .command('call')
  .description('one call through the running daemon; exit 0: ok, 1: refused, 2: usage')
  .argument('<operation>', 'for example market.eligibility')
  .argument('[-]', 'reads the input from standard input')
  .option('--input <json>', 'the fields of the operation as a JSON object')
  .option('--input-file <file>', 'a file that holds them')
  .option('--id <id>', 'idempotency key: an equal call within 10 minutes gets the same answer')
  .option(...configOption)
  .action(call)

program
  .command('operations')
  .description('what the running daemon can do')
  .option('--json', 'as JSON, with a JSON Schema of each input')
  .option(...configOption)
  .action(operations)

program
  .command('check')
  .description('settings, keys, directories, ports and the way to the platform, with cures; exit 1: something is wrong')
  .option('--json', 'as JSON')
  .option('--offline', 'leaves out everything that needs the network')
  .option(...configOption)
  .action(async (flags: CheckFlags) => (await import('./command-line/check-command.ts')).check(flags))

program
  .command('reload')
  .description('the running daemon reads keys, token and log level again; no call is lost')
  .option(...configOption)
  .action(reload)

program
  .command('keygen')
  .description('makes a signing key, and says what the platform needs of it; never overwrites a file')
  .requiredOption('--out <dir>', 'made if missing; gets signing-key.pem (0600) and signing-key-public.pem')
  .option('--kid <kid>', 'name of the key at the platform, if you know it already', kidOf)
  .action(async (options: { out: string; kid?: string }) =>
    (await import('./command-line/keygen-command.ts')).keygen(options),
  )

program
  .command('orders')
  .description('open orders of the running daemon: what waits for the game server, and since when')
  .option('--json', 'as JSON, as the operation orders.open answers')
  .option('--check-now', 'asks the platform about every open order first')
  .option(...configOption)
  .action(orders)

program
  .command('status')
  .description('how the running daemon is: platform, keys, calls, spool, orders')
  .option('--json', 'as JSON, as GET /status answers')
  .option(...configOption)
  .action(async (options: { config?: string; json?: boolean }) =>
    (await import('./command-line/status-command.ts')).status(options),
  )

const service = program.command('service').description('prints the definition of the service for this host')

service
  .command('systemd')
  .description('a unit; docs/en/operations/install-linux.md says where it goes')
  .option('--template', 'a unit for several game servers, market-agent@NAME')
  .option('--config <file>', 'settings of the agent; %i stands for NAME')
  .option('--spool-dir <dir>', 'SERVICE_SPOOL_DIR of the agent; %i stands for NAME')
  .action(async (flags: SystemdFlags) => (await import('./command-line/service-command.ts')).printSystemdUnit(flags))

service
  .command('windows')
  .description('a PowerShell script that installs the service')
  .option('--name <name>', 'of the service, one for each game server', serviceName, 'market-agent')
  .action(async (flags: { name: string }) =>
    (await import('./command-line/service-command.ts')).printWindowsService(flags),
  )

program
  .command('completion')
  .description('prints a script that completes commands and options in a shell')
  .addArgument(new Argument('<shell>').choices(['bash', 'zsh', 'powershell']))
  .action(async (shell: Shell) => {
    const { completionScript } = await import('./command-line/completion.ts')
    process.stdout.write(completionScript(shell, program, { call: Object.keys(operationTable) }))
  })

/** What Windows, PowerShell and a path take as it is. */
function serviceName(name: string): string {
  if (/^[A-Za-z0-9][A-Za-z0-9._-]{0,79}$/.test(name)) return name
  throw new InvalidArgumentError('only letters, digits, dots, hyphens and underscores, for example market-agent-alpha')
}

/** What `SERVICE_SIGNING_KID` takes. */
function kidOf(kid: string): string {
  if (/^[\x21-\x7e]{1,200}$/.test(kid)) return kid
  throw new InvalidArgumentError('1 to 200 letters, digits and signs without spaces, for example my-server-2026')
}

// The reader of the output has gone, as `head` does.
process.stdout.on('error', () => process.exit())

try {
  await program.parseAsync(process.argv)
} catch (error) {
  if (!(error instanceof CommanderError)) throw error
  process.exitCode = error.exitCode === 0 ? exitCodes.ok : exitCodes.usage
}
