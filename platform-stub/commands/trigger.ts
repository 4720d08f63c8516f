import { type Command, Option } from 'commander'
import * as z from 'zod/mini'
import { exitCodes, UserError } from '../store/user-error.ts'
import { isAcknowledgement } from '../webhooks/post.ts'
import { askStub } from './ask-stub.ts'
import { parseHttpUrl, parseNumber } from './options.ts'

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
  /** The body. What is undefined is left out. */
  readonly body: (flags: TriggerFlags) => object
}

const transactionOption = () => new Option('--transaction-id <number>', 'the newest if left out').argParser(parseNumber)
const webhookUrlOption = (meaning: string) => new Option('--webhook-url <url>', meaning).argParser(parseHttpUrl)
const quantityOption = () => new Option('--quantity <number>').default(1).argParser(parseNumber)

/** What `platform-stub trigger` knows, by its name. */
const triggerEvents: Readonly<Record<string, TriggerEvent>> = {
  buy: {
    summary: 'a buyer buys in the game; prints the purchase with its checkoutUrl',
    options: [
      new Option('--item-ref <ref>', 'the newest listing if left out'),
      quantityOption(),
      new Option('--buyer <ref>', 'the buying character').makeOptionMandatory(),
    ],
    path: async ({ url, itemRef }) => `/stub/listings/${await listingIdOf(url, itemRef)}/buy`,
    body: ({ quantity, buyer }) => ({ quantity, buyerCharacterRef: buyer }),
  },
  pay: act('pay', 'the buyer pays; the stock is checked again, as the checkout does'),
  cancel: act('cancel', 'the buyer cancels'),
  expire: act('expire', 'the time to pay is over'),
  deliver: act('deliver', "the game server confirms the delivery; the stub signs with the game server's key"),
  fail: {
    ...act('fail', "the game server reports a failure; the stub signs with the game server's key"),
    options: [
      transactionOption(),
      new Option('--reason <reason>').choices(['OUT_OF_STOCK', 'TEMPORARY']).makeOptionMandatory(),
      new Option('--observed-quantity <number>', 'what is left').makeOptionMandatory().argParser(parseNumber),
      new Option('--detail <text>', 'for the staff'),
    ],
    body: ({ reason, observedQuantity, detail }) => ({ reason, observedQuantity, detail }),
  },
  dispute: act('dispute', 'the buyer opens a dispute'),
  'reject-dispute': act('reject-dispute', 'the staff rejects the dispute'),
  refund: act('refund', 'the staff refunds the purchase'),
  resend: {
    summary: 'a webhook is due now, or is sent to another address once',
    options: [
      new Option('--webhook-id <number>', 'the newest delivery if left out').argParser(parseNumber),
      webhookUrlOption('to this address, once'),
    ],
    path: async ({ url, webhookId }) => `/stub/webhooks/${webhookId ?? (await newestOf(url, 'webhooks', 'id'))}/resend`,
    body: ({ webhookUrl }) => ({ webhookUrl }),
  },
  transfer_order: testEvent('transfer_order', 'a test order without a sale, signed like a real one', [
    quantityOption(),
    new Option('--buyer <ref>', 'the buying character'),
    new Option('--seller <ref>', 'the selling character'),
  ]),
  transaction_terminal: testEvent('transaction_terminal', 'the end of a test order', [
    new Option('--outcome <outcome>').choices(['CONCLUIDA', 'ESTORNADA', 'EXPIRADA', 'CANCELADA']),
  ]),
}

/**
 * The events of `platform-stub trigger EVENT`. Each prints the answer of its control route as JSON. The exit code is 1 if
 * the stub refuses, or if the receiver of a test event does not answer 2xx.
 */
export function addTriggerEvents(command: Command, urlOption: () => Option): void {
  for (const [name, { summary, options, path, body }] of Object.entries(triggerEvents)) {
    const event = command.command(name).description(summary).addOption(urlOption())
    for (const option of options) event.addOption(option)
    event.action(async (flags: TriggerFlags) => {
      const { data } = await askStub(flags.url, await path(flags), z.unknown(), { ...body(flags) })
      process.stdout.write(`${JSON.stringify(data, withoutSignatures, 2)}\n`)
      if (!isTaken(data)) process.exitCode = exitCodes.failed
    })
  }
}

/** The output often lands in the log of a CI job, where no signature belongs. */
function withoutSignatures(name: string, value: unknown): unknown {
  return name === 'signature' ? undefined : value
}

const sentOnce = z.object({ responseStatus: z.nullable(z.int()) })

/** False for a webhook that was sent and not answered with 2xx. Nothing else can fail without an error. */
function isTaken(data: unknown): boolean {
  const sent = sentOnce.safeParse(data)
  return !sent.success || isAcknowledgement(sent.data.responseStatus ?? 0)
}

/** An act on a transaction, with nothing in its body. */
function act(name: string, summary: string): TriggerEvent {
  return {
    summary,
    options: [transactionOption()],
    path: async ({ url, transactionId }) =>
      `/stub/transactions/${transactionId ?? (await newestOf(url, 'transactions', 'transactionId'))}/${name}`,
    body: () => ({}),
  }
}

/** A webhook without a sale. */
function testEvent(event: string, summary: string, options: readonly Option[]): TriggerEvent {
  return {
    summary,
    options: [
      new Option('--game-server-id <number>', 'the newest if left out').argParser(parseNumber),
      webhookUrlOption("to this address, once; the game server's if left out"),
      new Option('--transaction-id <number>', 'a test transaction of before').argParser(parseNumber),
      new Option('--item-ref <ref>', 'the item'),
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
    '/stub/listings?limit=1000',
    z.array(z.looseObject({ id: z.int(), itemRef: z.string() })),
  )
  const listing = data.find((candidate) => candidate.itemRef === itemRef)
  if (!listing) throw new NothingToTriggerError(`${url} has no listing of ${itemRef}`)
  return listing.id
}
