import pino from 'pino'
import { setCharacter } from '../../../platform-stub/marketplace/characters/accounts.ts'
import { registerGameServer } from '../../../platform-stub/marketplace/game-servers/register.ts'
import { orThrow } from '../../../platform-stub/marketplace/refusal.ts'
import { defaultSettings } from '../../../platform-stub/marketplace/settings.ts'
import { type ComposedPlatform, composePlatform } from '../../../platform-stub/server/compose-platform.ts'
import { makeRandom } from '../../../platform-stub/server/random.ts'
import type { ListingRow } from '../../../platform-stub/store/listing-rows.ts'
import { openDatabase } from '../../../platform-stub/store/open.ts'
import type { WebhookPost } from '../../../platform-stub/webhooks/webhook-post.ts'
import { cheapSigning } from '../../platform-stub/fixtures/cheap-signing.ts'
import type { ModelHost, Program } from '../host.ts'
import type { NetworkRequest } from '../network/message.ts'
import type { Network } from '../network/network.ts'
import { answererOf, postOver } from './platform-edge.ts'
import { fieldsIn } from './promises/fields-in.ts'
import { type Fields, readSentRequest, type SentRequest } from './sent-request.ts'

/** The address of the platform in each world. */
export const platformAddress = 'platform:443'

/** What the staff give to a game server. */
export interface Registration {
  readonly gameServerId: number
  readonly apiKey: string
  readonly kid: string
  readonly platformKid: string
}

/** The real marketplace with its webhooks and its schedule. Its store survives every kill. */
export interface ModelPlatform {
  readonly program: Program
  /** The marketplace, also while no process runs it: what is committed can be read. */
  readonly composed: ComposedPlatform
  /** While it is on, half of the calls act and are answered with 500. */
  readonly failing: { isOn: boolean }
  /** While it is on, half of the transactions are shown with another item. */
  readonly confusing: { isOn: boolean }
  /** While it is on, every game server gets the webhooks of all. */
  readonly misrouting: { isOn: boolean }
  /** Each itemRef with each quantity that an `ADJUST_STOCK` has set. */
  readonly acceptedStocks: ReadonlySet<string>
  /** Gives a game server another signing key, besides those that it has. @returns The kid. */
  addKey(gameServerId: number): string
  /** Gives a game server another API key. The one before ends with the process of the platform. */
  replaceApiKey(gameServerId: number): string
  /** The listing of an item: each item of a world has its own itemRef. */
  listingOf(itemRef: string): ListingRow | undefined
  /** The itemRef that a transaction is about; empty for none. */
  itemOf(transactionId: number): string
  /** Gives back what the store has taken from this process. */
  end(): void
}

/** Times of this marketplace, in ms: short enough that all of them happen in a run. */
const settings = {
  ...defaultSettings,
  paymentExpiryMs: 120_000,
  observationFreshnessMs: 60_000,
  completionDelayMs: 20_000,
}

/** The parts of a platform in the world. */
export interface PlatformParts {
  readonly host: ModelHost
  readonly network: Network
  /** Whether it takes no long `detail`, ever. */
  readonly takesNoDetail: boolean
  /** Whether it leaves out what the interface does not promise. */
  readonly saysLittle: boolean
  /** The URL for the webhooks of each identity, by its name. */
  readonly webhookUrls: ReadonlyMap<string, string>
  /** Called once: from then on the game servers can be started. */
  readonly onRegistered: (registrations: ReadonlyMap<string, Registration>) => void
  /** Called with each request that it has accepted, and with the body of its answer. */
  readonly onAccepted: (request: SentRequest, answer: string) => void
  /** A webhook leaves. @returns Called when it has ended, before the platform takes the answer. */
  readonly onPosting: (webhook: WebhookPost) => () => void
  /** A line of its log about something that must not happen. */
  readonly onBug: (line: string) => void
}

/** Installs the platform. Its first process registers the game servers. */
export function installPlatform({
  host,
  network,
  takesNoDetail,
  saysLittle,
  webhookUrls,
  onRegistered,
  onAccepted,
  onPosting,
  onBug,
}: PlatformParts): ModelPlatform {
  const database = openDatabase(null)
  let composed: ComposedPlatform | undefined
  let isNew = true
  let replacedKeys = 0
  const failing = { isOn: false }
  const confusing = { isOn: false }
  const misrouting = { isOn: false }
  const acceptedStocks = new Set<string>()
  function noteAccepted(request: NetworkRequest, answer: string): void {
    const { method, path, headers, body } = request
    const sent = readSentRequest({ method, path, headers, input: fieldsIn<Fields>(body) })
    onAccepted(sent, answer)
    const { itemRef, observedQuantity } = sent.input
    if (sent.operation === 'market.adjust-stock') acceptedStocks.add(`${itemRef} ${observedQuantity}`)
  }
  const program = host.install('platform', (process) => {
    const write = (line: string) => {
      if (process.state !== 'dead') onBug(line)
    }
    const log = pino({ level: 'error', base: null, timestamp: false }, { write })
    const platform = composePlatform({
      database,
      settings,
      time: process.time,
      random: makeRandom('simulation'),
      signing: cheapSigning,
      makeLog: () => log,
      publicUrl: `http://${platformAddress}`,
      onFatal(error) {
        throw error
      },
      async post(webhook) {
        const others = [...webhookUrls.values()].filter((url) => url !== webhook.url)
        const onEnded = onPosting(webhook)
        const copiesTo = misrouting.isOn ? others.map((url) => new URL(url).host) : []
        const outcome = await postOver(network, process, webhook, copiesTo)
        onEnded()
        return outcome
      },
    })
    composed = platform
    network.listen(
      process,
      platformAddress,
      answererOf(platform, {
        fails: () => failing.isOn && process.random.happens(0.5),
        confuses: () => confusing.isOn && process.random.happens(0.5),
        takesNoDetail,
        saysLittle,
        onAccepted: noteAccepted,
      }),
    )
    platform.schedule.start()
    if (!isNew) return
    isNew = false
    void registerAll(platform, webhookUrls).then(onRegistered)
  })
  return {
    program,
    get composed() {
      if (!composed) throw new Error('the platform has not been started yet')
      return composed
    },
    failing,
    confusing,
    misrouting,
    acceptedStocks,
    addKey(gameServerId) {
      if (!composed) throw new Error('the platform has not been started yet')
      const { platform, directory } = composed
      const known = platform.tables.gameServers.keyOf(gameServerId)
      if (!known) throw new Error(`game server ${gameServerId} has no key`)
      const key = { ...known, kid: `${known.kid}-${platform.tables.gameServers.allKeys().length}` }
      orThrow(platform.transact(() => platform.tables.gameServers.insertKey(key)))
      directory.putKey(key)
      return key.kid
    },
    replaceApiKey(gameServerId) {
      const server = composed?.directory.byId(gameServerId)
      if (!server) throw new Error(`game server ${gameServerId} is not registered`)
      const apiKey = `api-key-${gameServerId}-${++replacedKeys}`
      database.prepare('UPDATE gameServers SET apiKey = ? WHERE id = ?').run(apiKey, gameServerId)
      composed?.directory.put({ ...server, apiKey })
      return apiKey
    },
    listingOf: (itemRef) => composed?.platform.tables.listings.newestOf(itemRef, 1)[0],
    itemOf(transactionId) {
      const { transactions, listings } = composed?.platform.tables ?? {}
      return listings?.byId(transactions?.byId(transactionId)?.listingId ?? 0)?.itemRef ?? ''
    },
    end: () => database.close(),
  }
}

/** The one character that sells on all game servers. */
export const seller = 'seller'

async function registerAll(
  composed: ComposedPlatform,
  webhookUrls: ReadonlyMap<string, string>,
): Promise<ReadonlyMap<string, Registration>> {
  const { platform, directory } = composed
  const platformKey = await composed.platformKey()
  const registrations = new Map<string, Registration>()
  for (const [name, webhookUrl] of webhookUrls) {
    const registered = orThrow(await registerGameServer(platform, directory, platformKey, { name, webhookUrl }))
    const { gameServerId, apiKey, kid } = registered
    orThrow(
      platform.transact(() => setCharacter(platform, gameServerId, seller, { linked: true, recipientApproved: true })),
    )
    registrations.set(name, { gameServerId, apiKey, kid, platformKid: platformKey.kid })
  }
  return registrations
}
