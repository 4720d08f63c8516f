import { type Command, Option } from 'commander'
import * as z from 'zod/mini'
import {
  pathOfAct,
  type TransactionActName,
  transactionActNames,
  transactionActs,
} from '../marketplace/transactions/acts.ts'
import { exitCodes, UserError } from '../user-error.ts'
import { isAcknowledgement } from '../webhooks/webhook-post.ts'
import { askStub } from './ask-stub.ts'
import { parseHttpUrl, parseNumber } from './options.ts'
import { say } from './say.ts'

/** The flags of all events together. Each event takes some of them. */
interface TriggerFlags {
  readonly url: string
  readonly transactionId?: number
  readonly reason?: string
  readonly observedQuantity?: number
  readonly detail?: string
  readonly itemRef?: string
  readonly quantity?: number
  readonly buyer?: string
  readonly seller?: string
  readonly webhookId?: number
  readonly webhookUrl?: string
  readonly gameServerId?: number
  readonly outcome?: string
}

/** One control route, as a button of the console uses it. */
interface TriggerEvent {
  readonly summary: string
  readonly options: readonly Option[]
  readonly path: (flags: TriggerFlags) => Promise<string>
  /** The body. A field that is undefined is left out. */
  readonly body: (flags: TriggerFlags) => object
  /** Reads from the answer whether the receiver took the webhook; for what sends one. */
  readonly isTaken?: (data: unknown, flags: TriggerFlags) => boolean
}

const transactionOption = () =>
  new Option('--transaction-id <number>', say('the newest if left out', 'se faltar, o mais novo')).argParser(
    parseNumber,
  )
const webhookUrlOption = (meaning: string) => new Option('--webhook-url <url>', meaning).argParser(parseHttpUrl)
const quantityOption = () => new Option('--quantity <number>').default(1).argParser(parseNumber)

const failureOptions = [
  new Option('--reason <reason>').choices(['OUT_OF_STOCK', 'TEMPORARY']).makeOptionMandatory(),
  new Option('--observed-quantity <number>', say('what is left', 'o que resta'))
    .makeOptionMandatory()
    .argParser(parseNumber),
  new Option('--detail <text>', say('for the staff', 'para a equipe')),
]

/** What `platform-stub trigger` knows, by its name. */
const triggerEvents: Readonly<Record<string, TriggerEvent>> = {
  buy: {
    summary: say(
      'a buyer buys in the game; prints the purchase with its checkoutUrl',
      'um comprador compra no jogo; mostra a compra com a checkoutUrl',
    ),
    options: [
      new Option('--item-ref <ref>', say('the newest listing if left out', 'se faltar, o anúncio mais novo')),
      quantityOption(),
      new Option('--buyer <ref>', say('the buying character', 'o personagem que compra')).makeOptionMandatory(),
    ],
    path: async ({ url, itemRef }) => `/stub/listings/${await listingIdOf(url, itemRef)}/buy`,
    body: ({ quantity, buyer }) => ({ quantity, buyerCharacterRef: buyer }),
  },
  ...Object.fromEntries(transactionActNames.map((name) => [name, act(name)])),
  resend: {
    summary: say(
      'a webhook is due now, or is sent to another address once',
      'um webhook sai agora, ou vai uma vez para outro endereço',
    ),
    options: [
      new Option(
        '--webhook-id <number>',
        say('the newest delivery if left out', 'se faltar, a entrega mais nova'),
      ).argParser(parseNumber),
      webhookUrlOption(say('to this address, once', 'para este endereço, uma vez')),
    ],
    path: async ({ url, webhookId }) => `/stub/webhooks/${webhookId ?? (await newestOf(url, 'webhooks', 'id'))}/resend`,
    body: ({ webhookUrl }) => ({ webhookUrl }),
    isTaken: (data, { webhookUrl }) => {
      const { state, sentElsewhere } = resent.parse(data)
      return webhookUrl === undefined ? state === 'acknowledged' : isAcknowledged(sentElsewhere[0])
    },
  },
  transfer_order: testEvent(
    'transfer_order',
    say(
      'a test order without a sale, signed like a real one',
      'um pedido de teste sem venda, assinado como um de verdade',
    ),
    [
      quantityOption(),
      new Option('--buyer <ref>', say('the buying character', 'o personagem que compra')),
      new Option('--seller <ref>', say('the selling character', 'o personagem que vende')),
    ],
  ),
  transaction_terminal: testEvent(
    'transaction_terminal',
    say('the end of a test order', 'o aviso de encerramento de um pedido de teste'),
    [new Option('--outcome <outcome>').choices(['CONCLUIDA', 'ESTORNADA', 'EXPIRADA', 'CANCELADA'])],
  ),
}

/**
 * The events of `platform-stub trigger EVENT`. Each prints the answer of its control route as JSON. The exit code is 1 if
 * the stub refuses, or if the receiver of a webhook does not answer 2xx.
 */
export function addTriggerEvents(command: Command, urlOption: () => Option): void {
  for (const [name, { summary, options, path, body, isTaken }] of Object.entries(triggerEvents)) {
    const event = command.command(name).description(summary).addOption(urlOption())
    for (const option of options) event.addOption(option)
    event.action(async (flags: TriggerFlags) => {
      const { data } = await askStub(flags.url, await path(flags), z.unknown(), { ...body(flags) })
      process.stdout.write(`${JSON.stringify(data, withoutSignatures, 2)}\n`)
      if (isTaken && !isTaken(data, flags)) process.exitCode = exitCodes.failed
    })
  }
}

/** The output often lands in the log of a CI job, where no signature belongs. */
function withoutSignatures(name: string, value: unknown): unknown {
  return name === 'signature' ? undefined : value
}

const sentOnce = z.object({ responseStatus: z.nullable(z.int()) })
/** A delivery; what was sent to other addresses newest first. */
const resent = z.object({ state: z.string(), sentElsewhere: z.array(sentOnce) })

function isAcknowledged(sent: z.infer<typeof sentOnce> | undefined): boolean {
  return isAcknowledgement(sent?.responseStatus ?? 0)
}

/** An act on a transaction. */
function act(name: TransactionActName): TriggerEvent {
  const { en, pt } = transactionActs[name].does
  return {
    summary: say(en, pt),
    options: [transactionOption(), ...(name === 'fail' ? failureOptions : [])],
    path: async ({ url, transactionId }) =>
      pathOfAct(transactionId ?? (await newestOf(url, 'transactions', 'transactionId')), name),
    // Undefined where the act has no such option, and left out then.
    body: ({ reason, observedQuantity, detail }) => ({ reason, observedQuantity, detail }),
  }
}

/** A webhook without a sale. */
function testEvent(event: string, summary: string, options: readonly Option[]): TriggerEvent {
  return {
    summary,
    options: [
      new Option('--game-server-id <number>', say('the newest if left out', 'se faltar, o mais novo')).argParser(
        parseNumber,
      ),
      webhookUrlOption(
        say(
          "to this address, once; the game server's if left out",
          'para este endereço, uma vez; se faltar, o do servidor de jogo',
        ),
      ),
      new Option(
        '--transaction-id <number>',
        say('a test transaction of before', 'uma transação de teste anterior'),
      ).argParser(parseNumber),
      new Option('--item-ref <ref>', say('the item', 'o item')),
      ...options,
    ],
    path: async ({ url, gameServerId }) =>
      `/stub/game-servers/${gameServerId ?? (await newestOf(url, 'game-servers', 'gameServerId'))}/test-events`,
    body: ({ webhookUrl, transactionId, itemRef, quantity, buyer, seller, outcome }) => ({
      event,
      webhookUrl,
      transactionId,
      itemRef,
      quantity,
      buyerCharacterRef: buyer,
      sellerCharacterRef: seller,
      outcome,
    }),
    isTaken: (data) => isAcknowledged(sentOnce.parse(data)),
  }
}

/** There is nothing that the event could happen to. */
class NothingToTriggerError extends UserError {
  override readonly name = 'NothingToTriggerError'
}

/** @throws {NothingToTriggerError} The list is empty. */
async function newestOf(url: string, list: string, idField: string): Promise<number> {
  const { data } = await askStub(url, `/stub/${list}?limit=1`, z.array(z.looseObject({ [idField]: z.int() })))
  const id = data[0]?.[idField]
  if (typeof id !== 'number') throw new NothingToTriggerError(`${url} has no ${list} yet`)
  return id
}

/** @throws {NothingToTriggerError} No listing has this itemRef. */
async function listingIdOf(url: string, itemRef: string | undefined): Promise<number> {
  if (itemRef === undefined) return newestOf(url, 'listings', 'id')
  const { data } = await askStub(
    url,
    `/stub/listings?limit=1&itemRef=${encodeURIComponent(itemRef)}`,
    z.array(z.looseObject({ id: z.int() })),
  )
  const [listing] = data
  if (!listing) throw new NothingToTriggerError(`${url} has no listing of ${itemRef}`)
  return listing.id
}
