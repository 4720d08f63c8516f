import { Command, CommanderError, Option } from 'commander'
import { usageErrorInWords } from '../contract/usage-error-in-words.ts'
import manifest from '../package.json' with { type: 'json' }
import { parseDuration, parseHttpUrl, parseOrigin, parsePort } from './commands/options.ts'
import type { ProbeFlags } from './commands/probe-webhook/probe-command.ts'
import type { ProvisionFlags } from './commands/provision.ts'
import { say } from './commands/say.ts'
import type { ServeFlags } from './commands/serve-command.ts'
import { addTriggerEvents } from './commands/trigger.ts'
import { exitCodes, UserError } from './user-error.ts'

// Each command is loaded when it is asked for: a start must not wait for the others.

const defaultAddress = { host: '127.0.0.1', port: 8_787 } as const
const defaultStubUrl = `http://${defaultAddress.host}:${defaultAddress.port}`

const titles: Readonly<Record<string, string>> = {
  'Usage:': say('Usage:', 'Uso:'),
  'Arguments:': say('Arguments:', 'Argumentos:'),
  'Options:': say('Options:', 'Opções:'),
  'Commands:': say('Commands:', 'Comandos:'),
}

const program = new Command('platform-stub')
  .description(
    say(
      'The whole marketplace platform, to develop and test against. Never a product.',
      'A plataforma inteira do mercado, para desenvolver e testar. Nunca para produção.',
    ),
  )
  .version(manifest.version, undefined, say('prints the version', 'mostra a versão'))
  .helpOption('-h, --help', say('shows this help', 'mostra esta ajuda'))
  .helpCommand('help [command]', say('shows the help of a command', 'mostra a ajuda de um comando'))
  .configureHelp({ styleTitle: (title) => titles[title] ?? title })
  .configureOutput({ outputError: (text, write) => write(say(text, usageErrorInWords(text))) })
  .exitOverride()

program
  .command('serve')
  .description(
    say('runs the platform until SIGTERM, SIGINT or SIGHUP', 'executa a plataforma até SIGTERM, SIGINT ou SIGHUP'),
  )
  .addOption(
    new Option('--host <address>', say('address to listen on', 'endereço em que escuta')).default(defaultAddress.host),
  )
  .addOption(
    new Option('--port <number>', say('0 takes a free port', '0 usa uma porta livre'))
      .default(defaultAddress.port)
      .argParser(parsePort),
  )
  .addOption(
    new Option(
      '--public-url <url>',
      say('address as players and game servers see it', 'endereço como jogadores e servidores de jogo o veem'),
    ).argParser(parseOrigin),
  )
  .addOption(
    new Option(
      '--developer-port <number>',
      say(
        'port on 127.0.0.1 of the control routes and the console where --public-url or --host open the stub to others; 0 takes a free port, default is the port above',
        'porta em 127.0.0.1 das rotas de controle e do console quando --public-url ou --host abrem o stub para outros; 0 usa uma porta livre, o padrão é a porta seguinte',
      ),
    ).argParser(parsePort),
  )
  .addOption(
    new Option('--data-dir <folder>', say('where the state is kept', 'onde o estado fica')).default('.stub-data'),
  )
  .addOption(
    new Option('--memory', say('keeps the state in memory', 'mantém o estado na memória')).conflicts('dataDir'),
  )
  .addOption(
    durationOption(
      '--payment-expiry <duration>',
      say('how long a purchase waits for its payment', 'quanto tempo uma compra espera pelo pagamento'),
      '30m',
    ),
  )
  .addOption(
    durationOption(
      '--observation-freshness <duration>',
      say('how long a stock observation counts', 'por quanto tempo vale uma observação de estoque'),
      '10m',
    ),
  )
  .addOption(
    durationOption(
      '--completion-delay <duration>',
      say('from delivery to completion', 'da entrega até a conclusão'),
      '0s',
    ),
  )
  .addOption(
    durationOption(
      '--link-expiry <duration>',
      say(
        'how long a character link can be confirmed',
        'por quanto tempo um vínculo de personagem pode ser confirmado',
      ),
      '15m',
    ),
  )
  .addOption(new Option('--seed <text>', say('makes ids and tokens repeatable', 'torna ids e tokens repetíveis')))
  .addOption(
    new Option(
      '--scenario <file>',
      say(
        'starts an empty platform in a described state; see examples/scenarios/*.json',
        'inicia uma plataforma vazia em um estado descrito; veja examples/scenarios/*.json',
      ),
    ),
  )
  .addOption(
    new Option(
      '--allow-offer-replay',
      say(
        'lets repeated envelopes pass on the signature-only routes',
        'deixa passar envelopes repetidos nas rotas só com assinatura',
      ),
    ),
  )
  .action(async (flags: ServeFlags) => {
    const { serve } = await import('./commands/serve-command.ts')
    await serve(flags, { name: program.name(), version: manifest.version })
  })

program
  .command('provision')
  .description(
    say(
      'registers a game server and writes agent.env, signing-key.pem and platform-public-key.pem',
      'cadastra um servidor de jogo e escreve agent.env, signing-key.pem e platform-public-key.pem',
    ),
  )
  .addOption(
    new Option('--url <stub>', say('the running stub', 'o stub em execução'))
      .makeOptionMandatory()
      .argParser(parseOrigin),
  )
  .addOption(new Option('--name <name>', say('of the game server', 'do servidor de jogo')).makeOptionMandatory())
  .addOption(
    new Option('--webhook-url <url>', say('where webhooks go', 'para onde vão os webhooks')).argParser(parseHttpUrl),
  )
  .addOption(
    new Option(
      '--bridge',
      say(
        'the agent receives the webhooks: --webhook-url is its address, http://127.0.0.1:8898/webhook if left out',
        'o agente recebe os webhooks: --webhook-url é o endereço do agente; sem essa opção, http://127.0.0.1:8898/webhook',
      ),
    ),
  )
  .addOption(
    new Option(
      '--forward-url <url>',
      say(
        'where the game server takes orders by POST; implies --bridge',
        'onde o servidor de jogo recebe pedidos por POST; implica --bridge',
      ),
    )
      .argParser(parseHttpUrl)
      .implies({ bridge: true }),
  )
  .addOption(
    new Option(
      '--agent-port <number>',
      say("port of the agent's HTTP interface", 'porta da interface HTTP do agente'),
    ).argParser(parsePort),
  )
  .addOption(
    new Option(
      '--spool-dir <folder>',
      say("turns the agent's file interface on", 'liga a interface de arquivos do agente'),
    ),
  )
  .addOption(
    new Option('--state-dir <folder>', say('where the agent keeps its state', 'onde o agente guarda o estado')),
  )
  .addOption(new Option('--out <folder>', say('made if missing', 'criada se não existir')).makeOptionMandatory())
  .action(async (flags: ProvisionFlags) => {
    endQuietlyWithoutReader()
    const { provision } = await import('./commands/provision.ts')
    const { gameServerId, envFile } = await provision(flags)
    process.stdout.write(`Game server ${gameServerId}: ${envFile}\n`)
  })

addTriggerEvents(
  program
    .command('trigger')
    .description(
      say("does from a shell what the console's buttons do", 'faz pelo terminal o que os botões do console fazem'),
    ),
  () =>
    new Option('--url <stub>', say('the running stub', 'o stub em execução'))
      .default(defaultStubUrl)
      .argParser(parseOrigin),
)

program
  .command('probe-webhook')
  .description(
    say(
      "tests a game server's webhook receiver against the interface: sends orders without a payment, good and bad ones",
      'confere o receptor de webhooks de um servidor de jogo: envia pedidos sem pagamento, válidos e inválidos',
    ),
  )
  .argument('<url>', say('the receiver, one for development', 'o receptor, um de desenvolvimento'), parseHttpUrl)
  .addOption(
    new Option(
      '--stub <url>',
      say('signs with the key of this running stub', 'assina com a chave deste stub em execução'),
    ).argParser(parseOrigin),
  )
  .addOption(
    new Option(
      '--key-dir <folder>',
      say(
        "where the prober's own key is kept, made if missing",
        'onde fica a chave do próprio testador, criada se não existir',
      ),
    )
      .default('.webhook-probe')
      .conflicts('stub'),
  )
  .addOption(new Option('--item-ref <ref>', say('the item that is ordered', 'o item do pedido')).default('probe-item'))
  .addOption(new Option('--buyer <ref>', say('the buying character', 'o personagem que compra')).default('probe-buyer'))
  .addOption(
    new Option('--seller <ref>', say('the selling character', 'o personagem que vende')).default('probe-seller'),
  )
  .addOption(
    new Option('--json', say('the whole result as JSON, for programs', 'o resultado inteiro em JSON, para programas')),
  )
  .action(async (url: string, flags: ProbeFlags) => {
    endQuietlyWithoutReader()
    const { probe } = await import('./commands/probe-webhook/probe-command.ts')
    await probe(url, flags)
  })

program
  .command('openapi')
  .description(
    say(
      'prints OpenAPI 3.1 of the partner interface, webhooks included',
      'mostra o OpenAPI 3.1 da interface, com os webhooks',
    ),
  )
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
