import type { Random } from '../../random.ts'
import type { Day } from '../day.ts'
import { platformAddress, seller } from '../model-platform.ts'
import { signatureOf } from '../promises/signature.ts'
import type { GameCall, Told } from './call-agent.ts'
import type { DayParts } from './game-parts.ts'
import { isForSale, left, newListedItem } from './game-state.ts'
import { repeatByTool } from './report.ts'

const stockMax = 30

/** How many units a seller puts into an offer. */
function drawUnits(random: Random): number {
  return Math.round(random.magnitude(1, stockMax))
}

/** From one act to the next one. Where little happens, nothing hides what the agent has forgotten. */
const fullMs = [100, 4_000] as const
const emptyMs = [2_000, 40_000] as const

/** What the people of the game server ask for, one thing after another. */
export async function liveDay(parts: DayParts): Promise<void> {
  const { process, clock, day, quirks } = parts
  const { random } = process
  const [min, max] = random.pick([fullMs, fullMs, emptyMs])
  for (;;) {
    await clock.sleep(random.magnitude(min, max))
    if (quirks.asksMuch) void askAtOnce(parts, random.integer(3, 30)).catch(() => undefined)
    else await random.pick(acts[day.phase])(parts)
  }
}

/** How long nobody plays, at least and at most, in ms. */
type Idle = Readonly<Partial<Record<Day['phase'], readonly [min: number, max: number]>>>
const busy: Idle = { open: [1_000, 20_000], wave: [200, 5_000] }
/** Stocks cross each other. */
const hectic: Idle = { open: [1_000, 20_000], wave: [50, 1_000] }
/** What the agent has forgotten about a stock stays visible, because no other stock follows. */
const quiet: Idle = { open: [1_000, 20_000], wave: [2_000, 40_000] }
/** Only orders change a stock. */
const still: Idle = { open: [1_000, 20_000] }

/** How often a seller puts many units into an offer that is sold out. If there is never more than one unit, an older stock is equal to the newest one. */
const restockRate = 0.5

/** Players buy for the game's own money, and sellers put more into their offers. */
export async function play({ process, clock, day, store }: DayParts): Promise<void> {
  const { random } = process
  const idleMs = random.pick([hectic, busy, quiet, still])
  for (;;) {
    const [min, max] = idleMs[day.phase] ?? [1_000, 1_000]
    await clock.sleep(random.magnitude(min, max))
    const items = Object.keys(store.read().items)
    if (!idleMs[day.phase] || items.length === 0) continue
    const itemRef = random.pick(items)
    const isRestock = left(store.read(), itemRef) === 0 && random.happens(restockRate)
    const units = isRestock ? drawUnits(random) : random.pick([-1, -1, 1])
    if (left(store.read(), itemRef) + units >= 0)
      store.change(({ stock }) => {
        stock[itemRef] = (stock[itemRef] ?? 0) + units
      })
  }
}

type Act = (parts: DayParts) => Promise<void>
const rest: Act = async () => undefined
const mistake: Act = async ({ makeMistake }) => makeMistake()

/** What is done at each time of the day, besides what must be reported. */
const acts: Readonly<Record<Day['phase'], readonly Act[]>> = {
  open: [offerItem, buy, buy, buy, buy, buy, askSomething, askMuch, verifyWebhook, withdrawItem, mistake],
  wave: [buy, buy, buy, buy, askSomething, askMuch, verifyWebhook, offerItem, registerAgain, withdrawItem, mistake],
  hush: [rest],
  calm: [rest],
  night: [rest],
  dawn: [buy, askSomething, rest],
  // An agent is ready when it has spoken with the platform.
  closing: [rest, rest, askSomething],
  closed: [rest, rest, askSomething],
}

/** How often the client of a player lists an item, by an envelope. */
const byClientRate = 0.2

/** Lists an item for sale. An itemRef makes it safe to repeat: a second time is 409. */
async function offerItem(parts: DayParts): Promise<void> {
  const { store, process, call, quirks, newItemRef, itemsMax } = parts
  const unregistered = Object.entries(store.read().items).find(([, { registration }]) => registration === 'none')?.[0]
  const onSale = Object.values(store.read().items).filter(({ isWithdrawn }) => !isWithdrawn)
  if (unregistered === undefined && onSale.length >= itemsMax) return
  const itemRef = unregistered ?? newItemRef()
  const state = store.change((next) => {
    next.items[itemRef] ??= newListedItem()
    next.stock[itemRef] ??= drawUnits(process.random)
  })
  const isByClient = process.random.happens(byClientRate)
  const told = await (isByClient ? registerByClient(parts, itemRef) : call(registrationOf(itemRef)))
  const isKnown = told?.ok || told?.status === 409
  const isLeftInDoubt = told?.isUncertain && quirks.registersOnce
  if (!isKnown && !isLeftInDoubt) return
  if (state.items[itemRef])
    store.change((next) => {
      const item = next.items[itemRef]
      if (item) item.registration = isKnown ? 'known' : 'in-doubt'
    })
}

/** What became of a registration. */
type Registered = Pick<Told, 'ok' | 'status' | 'isUncertain'>

/** What the agent signs for a client. */
interface Carried {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

function registrationOf(itemRef: string): GameCall {
  const input = {
    itemRef,
    gameItemId: 'sword',
    itemName: 'Espada',
    attributes: 'Espada +7',
    quantityListed: stockMax,
    unitAmountCents: 1_000,
    sellerCharacterRef: seller,
  }
  return { operation: 'market.register', input, id: undefined }
}

/** How long the client of a player waits. */
const clientPatienceMs = 20_000

/** The agent signs, and the client of the player carries that to the platform. */
async function registerByClient(
  { call, network, process, clock, witness }: DayParts,
  itemRef: string,
): Promise<Registered | undefined> {
  const registration = registrationOf(itemRef)
  const signed = await call({ ...registration, operation: 'market.register.envelope' })
  if (!signed?.ok) return undefined
  const { method, url, headers, body } = signed.data as unknown as Carried
  const request = {
    method,
    path: new URL(url).pathname,
    headers: Object.entries(headers).flat(),
    body: Buffer.from(body),
  }
  witness.onUnheard(registration)
  const { ended, giveUp } = network.send(process, platformAddress, request)
  const cancel = clock.after(clientPatienceMs, () => giveUp(new Error('no patience')))
  const exchange = await ended
  cancel()
  if (exchange.kind === 'failed') return { ok: false, isUncertain: exchange.wasSent }
  const { status, body: text } = exchange.answer
  // A proxy may give any page.
  const isListed = status === 200 && Buffer.from(text).includes(JSON.stringify(itemRef))
  return { ok: isListed, status, isUncertain: !isListed && status !== 409 }
}

/**
 * A tool of the staff lists an item again, which is a 409. It waits for its turn among the files of the game server, but not as
 * long. Sometimes it repeats a file that does the same.
 */
async function registerAgain(parts: DayParts): Promise<void> {
  const { store, process, call, callsBy, callByHttp, record } = parts
  const registered = Object.entries(store.read().items).filter(([, item]) => isForSale(item))
  if (registered.length === 0) return
  const registration = registrationOf(process.random.pick(registered)[0])
  if (callsBy === 'http' || process.random.happens(0.5)) {
    void callByHttp(registration)
    return
  }
  // Not an id that only a file has: it may get the answer to the tool.
  const ofFile = { ...registration, id: `again-${record.newId()}` }
  void call(ofFile).catch(() => undefined)
  void repeatByTool(parts, ofFile)
}

/** The platform refuses what it may accept later. */
const tooSoon: ReadonlySet<number> = new Set([425, 429])

/** Asks the platform for a purchase, for the buyer who waits longest. */
async function buy({ store, wants, call, callsBy, process }: DayParts): Promise<void> {
  const want = wants.open.find(({ id }) => !store.read().written[id])
  if (!want) return
  const { id, itemRef, quantity, buyerCharacterRef } = want
  if (callsBy === 'files')
    store.change((next) => {
      next.written[id] = true
    })
  const purchase = { operation: 'transaction.create', input: { itemRef, quantity, buyerCharacterRef }, id }
  // Two threads of the game server may ask at once.
  if (callsBy === 'http' && process.random.happens(0.1)) void call(purchase)
  const told = await call(purchase)
  // A mistake: the id of a purchase for another one.
  if (told?.ok && callsBy === 'http' && process.random.happens(0.05))
    await call({ ...purchase, input: { ...purchase.input, quantity: quantity + 1 } })
  // The guide says that these are asked again with the same id. Some ask again although they have an answer: it is the stored one.
  const asksAgain = callsBy === 'http' && (tooSoon.has(told?.status ?? 0) || process.random.happens(0.3))
  if (told && !asksAgain) wants.close(id)
}

/** Asks what changes nothing, or for what a game client carries. Sometimes many things at once, and some under an id that was used before. */
async function askSomething(parts: DayParts): Promise<void> {
  const { random } = parts.process
  await askAtOnce(parts, random.happens(0.2) ? random.integer(3, 10) : 1)
}

/** Rarely asks for so much that the agent stops reading its outbox until some of it is answered. */
async function askMuch(parts: DayParts): Promise<void> {
  if (parts.process.random.happens(0.02)) await askAtOnce(parts, 80)
}

/** A file does not say which of two characters its answer is about, so an id is for one of them. */
const characters = [seller, 'Ana'] as const

async function askAtOnce({ call, callsBy, process: { random } }: DayParts, count: number): Promise<void> {
  const ask = () => {
    const number = random.happens(0.6) ? random.integer(1, 2) : undefined
    const isFixed = callsBy === 'files' && number !== undefined
    const characterRef = isFixed ? characters[number % characters.length] : random.pick(characters)
    const [operation, input] = random.pick([
      ['market.eligibility', { characterRef }],
      // Links of one character are one call that is repeated.
      ['character.link', { characterRef: `Ana-${number ?? random.integer(3, 1e9)}` }],
      ['transaction.create.envelope', { itemRef: 'sword', quantity: 1, buyerCharacterRef: 'Ana' }],
      ['market.register.envelope', registrationOf('sword').input],
    ] as const)
    // A mistake: one id for different questions. A link is not a question.
    const prefix = operation !== 'character.link' && random.happens(0.2) ? 'question' : operation
    return call({ operation, input, id: number === undefined ? undefined : `${prefix}-${number}` })
  }
  await Promise.all(Array.from({ length: count }, ask))
}

/** Shows the agent a webhook that an agent received, as it came or altered. */
async function verifyWebhook({ webhooks, call, process: { random } }: DayParts): Promise<void> {
  const webhook = webhooks.pick(random)
  const signature = webhook && signatureOf(webhook.rawHeaders)
  if (!signature) return
  const body = Buffer.from(webhook.body).toString() + (random.happens(0.3) ? ' ' : '')
  const shown = random.happens(0.5) ? { body } : { bodyBase64: Buffer.from(body).toString('base64') }
  await call({ operation: 'webhook.verify', input: { signature, ...shown }, id: undefined })
}

/** Takes an item off the market, rarely. */
async function withdrawItem({ store, call, process }: DayParts): Promise<void> {
  const [itemRef] = Object.entries(store.read().items).find(([, item]) => isForSale(item)) ?? []
  if (itemRef === undefined || !process.random.happens(0.05)) return
  const told = await call({ operation: 'market.withdraw', input: { itemRef }, id: undefined })
  if (told?.ok)
    store.change((next) => {
      const item = next.items[itemRef]
      if (item) item.isWithdrawn = true
    })
}
