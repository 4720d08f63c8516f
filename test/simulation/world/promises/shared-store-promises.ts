import type { StoreCluster } from '../../sql/store-cluster.ts'
import type { ModelPlatform } from '../model-platform.ts'
import type { SentRequest } from '../sent-request.ts'
import type { OpenOrder } from '../server.ts'
import type { AgentWitness, GivenCall } from '../witnessed.ts'
import { outcomeOf } from './attempt-outcome.ts'
import type { Break } from './judge.ts'
import { keyOf } from './key-promises.ts'
import type { Unfinished } from './quiet-promises.ts'
import { parseSignature } from './signature.ts'
import { Since } from './since.ts'
import { itemOf } from './stock-of.ts'

/** An attempt that an agent has not given up. */
interface UnderWay {
  readonly agentName: string
  readonly life: Life
}

/** The agent leaves 5 s for a request to arrive. Its clock and that of the store may drift by a little. */
const leaseKeptMs = 4_500

/** What clocks may differ by. */
const arrivesLeewayMs = 5_000
/** Longer than the deadline of a call, and of the one before it. */
const keptMsMax = 65_000
/** Several renewals, of which each looks for the dead. */
const takenOverMsMax = 9_000
/** Longer than the waits between questions. */
const unaskedMsMax = 50_000

/** Nothing orders these calls. */
const alone: ReadonlySet<string> = new Set(['market.eligibility', 'transaction.get', 'character.link'])

/** `none`: another agent may take over, or has. A symbol is equal to nothing. */
type Life = `epoch ${string}` | 'none' | symbol

/**
 * What agents promise that share a store: what others may send too is sent only with a lease, and orders are handed over only
 * with it, by the one that has them. A purchase leaves when its intent is in the store, its answer is given when it is in the
 * store, and no two of them work with one id or one key at a time. The buyer of each purchase has the name of its id.
 */
export class SharedStorePromises {
  readonly #break: Break
  readonly #store: StoreCluster
  readonly #platform: ModelPlatform
  /** By key. */
  readonly #underWay = new Map<string, Set<UnderWay>>()

  /** The ids and keys of which an attempt has left and was not refused. */
  readonly #sent = new Set<string>()

  /** What calls have in the store, since when. */
  readonly #kept: Since
  readonly #unasked: Since
  /** Agents whose lease is over. */
  readonly #dead: Since

  constructor(onBroken: Break, store: StoreCluster, platform: ModelPlatform, nowMs: () => number) {
    this.#break = onBroken
    this.#store = store
    this.#platform = platform
    this.#kept = new Since(nowMs)
    this.#unasked = new Since(nowMs)
    this.#dead = new Since(nowMs)
  }

  /** What one agent is watched by. */
  witnessOf(agentName: string): Pick<AgentWitness, 'onHandedOver' | 'onSent' | 'onGiven'> {
    return {
      onHandedOver: (transactionId, by) => {
        const life = this.#lifeOf(agentName)
        // Any agent of a world may be asked for its orders.
        if (by !== 'list') this.#checkHolder(agentName, life, transactionId)
        if (life === 'none')
          this.#break('an agent hands orders over only while it has its lease', `${transactionId}: ${agentName}`)
      },
      onSent: (request) => {
        const shared = sharedOf(request)
        if (shared === undefined) return undefined
        this.#checkIntent(request)
        this.#checkDue(request)
        const onEnded = this.#follow(agentName, shared)
        this.#sent.add(shared)
        return (result) => {
          onEnded()
          if (outcomeOf(result) === 'refused') this.#sent.delete(shared)
        }
      },
      onGiven: (call, text) => {
        this.#checkAnswer(call, text)
        this.#checkKept(call, text)
        this.#checkNeed(call, text)
        this.#checkUnsent(call, text)
      },
    }
  }

  /** The orders of a world that are not over. In the middle of a transaction of an agent, nobody knows. */
  findOpenOrders(world: string): readonly OpenOrder[] {
    const sql = `SELECT transaction_id, phase FROM market_agent.orders WHERE world = $1 AND phase <> 'closed' LIMIT 1`
    const rows = this.#store.look(sql, [world])
    if (!rows) return [{ transactionId: 0, phase: 'being changed' }]
    return rows.map((row) => ({ transactionId: Number(row['transaction_id']), phase: String(row['phase']) }))
  }

  /** Something that no agent will bring to an end. */
  findLeft(): Unfinished | undefined {
    const sql = `${keptByCalls} UNION ALL SELECT 'repair ' || key FROM market_agent.repair WHERE quantity IS NOT NULL`
    const [row] = this.#store.look(sql) ?? []
    return row && { promise: 'nothing is left in the store when all is quiet', facts: String(row['what']) }
  }

  /** While nothing is broken: a call leaves nothing in the store, and the platform is asked about each order. */
  check(): void {
    this.#checkTakenOver()
    const kept = this.#store.look(keptByCalls)?.map(({ what }) => String(what))
    const left = kept && this.#kept.look(kept, keptMsMax)
    if (left !== undefined) this.#break('a call leaves nothing in the store', left)
    // Nothing follows from the answer while an order is disputed.
    const received = this.#store.look(receivedOrders)?.map(({ id }) => Number(id))
    const awaited = received?.filter((id) => this.#isAwaited(id)).map(String)
    const unasked = awaited && this.#unasked.look(awaited, unaskedMsMax)
    if (unasked !== undefined) this.#break('an agent asks about an order that is in the store', unasked)
  }

  /** The agent that has an order keeps it while it lives. */
  #checkHolder(agentName: string, life: Life, transactionId: number): void {
    const sql = 'SELECT epoch FROM market_agent.orders WHERE transaction_id = $1'
    const [row] = this.#store.look(sql, [transactionId]) ?? []
    if (row && typeof life === 'string' && life !== 'none' && life !== `epoch ${row['epoch']}`)
      this.#break('an order is handed over by the agent that has it', `${transactionId}: ${agentName}, ${life}`)
  }

  /** While an agent lives that the store hears. */
  #checkTakenOver(): void {
    // An agent that does not hear the answer to a renewal does not learn who is dead.
    if (this.#store.losesAnswers) this.#dead.reset()
    const dead = this.#store.look(deadAgents)?.map(({ name }) => String(name))
    const left = dead && this.#dead.look(dead, takenOverMsMax)
    if (left !== undefined) this.#break('an agent takes over from one that is dead', left)
  }

  #isAwaited(transactionId: number): boolean {
    const { transactions } = this.#platform.composed.platform.tables
    return transactions.byId(transactionId)?.deliveryStatus === 'AGUARDANDO_SERVIDOR'
  }

  /** Begins again: in a wave an agent may be dead, or cut off. */
  reset(): void {
    this.#checkTakenOver()
    this.#kept.reset()
    this.#unasked.reset()
  }

  #checkIntent({ operation, input }: SentRequest): void {
    if (operation !== 'transaction.create') return
    const id = String(input['buyerCharacterRef'])
    const rows = this.#store.look('SELECT FROM market_agent.call WHERE id = $1 AND in_doubt', [id])
    if (rows && (rows.length === 0 || this.#store.isUnsynced('call', { id })))
      this.#break('a purchase is sent only if its intent is in the store', id)
  }

  /** If the agent dies now, another one sends the newest stock again when this one can arrive no more. */
  #checkDue({ operation, transactionId, headers }: SentRequest): void {
    if (operation !== 'transaction.delivery-failure' || transactionId === undefined) return
    const { iat = 0, exp = 0 } = parseSignature(headers) ?? {}
    const arrivesForMs = (exp - iat) * 1_000
    const sql = 'SELECT due_at_ms - market_agent.steady_ms() AS ms FROM market_agent.repair WHERE key = $1'
    const [row] = this.#store.look(sql, [`itemRef ${this.#platform.itemOf(transactionId)}`]) ?? []
    if (row && Number(row['ms']) < arrivesForMs - arrivesLeewayMs)
      this.#break('the store knows how long a report may arrive', `${transactionId}: ${row['ms']} of ${arrivesForMs}`)
  }

  #checkAnswer({ operation, id = '' }: GivenCall, text: string): void {
    const mustBeStored = operation === 'transaction.create' || (operation?.endsWith('.envelope') && id !== '')
    if (!mustBeStored || !text.startsWith('{"ok":true')) return
    const rows = this.#store.look('SELECT FROM market_agent.call WHERE id = $1 AND answer IS NOT NULL', [id])
    if (rows && (rows.length === 0 || this.#store.isUnsynced('call', { id })))
      this.#break('the answer to a purchase is given only if it is in the store', id)
  }

  /** A reply that is confirmed, and a stock that counts as accepted. */
  #checkKept(call: GivenCall, text: string): void {
    const { operation } = call
    if (!text.startsWith('{"ok":true')) return
    // A reply is stored together with its stock.
    const item = itemOf(call, this.#platform)
    const isKept = operation === 'orders.take' || operation === 'market.adjust-stock'
    if (isKept && this.#store.isUnsynced('observation', { item_ref: item }))
      this.#break('a reply and a stock are confirmed only if no crash takes them back', `${operation} ${item}`)
  }

  /** Other agents have nothing to do with it. */
  #checkNeed({ operation = '', id }: GivenCall, text: string): void {
    if (id === undefined && alone.has(operation) && text.includes('"code":"STORE_UNREACHABLE"'))
      this.#break('a call that concerns no other agent does not need the store', operation)
  }

  /** Without the store an agent does not know what another one, or an earlier process, has sent. */
  #checkUnsent({ operation, id }: GivenCall, text: string): void {
    const isUnsent = text.includes('"code":"STORE_UNREACHABLE"') && !text.includes('"uncertain":true')
    if (operation === 'transaction.create' && isUnsent && this.#sent.has(`id ${id}`))
      this.#break('a purchase that has left is in doubt while the store is away', id)
  }

  /** @returns Called when the attempt has ended. */
  #follow(agentName: string, shared: string): () => void {
    const life = this.#lifeOf(agentName, leaseKeptMs)
    if (life === 'none')
      this.#break('an agent sends with an id or a key only while its lease has time left', `${shared}: ${agentName}`)
    const others = this.#underWay.get(shared) ?? new Set()
    this.#underWay.set(shared, others)
    for (const other of others)
      if (other.agentName !== agentName && this.#lifeOf(other.agentName) === other.life)
        this.#break(
          'no two agents work with one id or one key at a time',
          `${shared}: ${other.agentName} and ${agentName}`,
        )
    const underWay = { agentName, life }
    others.add(underWay)
    return () => void others.delete(underWay)
  }

  /** The epoch of an agent whose lease has more than this time left. In the middle of a transaction, nobody knows. */
  #lifeOf(agentName: string, restMs = 0): Life {
    const sql = 'SELECT epoch FROM market_agent.agent WHERE name = $1 AND lease_ends_ms > market_agent.now_ms() + $2'
    const rows = this.#store.look(sql, [agentName, restMs])
    if (!rows) return Symbol('unknown')
    return rows[0] ? `epoch ${rows[0]['epoch']}` : 'none'
  }
}

/** The agents whose lease is over, while another one has just renewed its own. A lease is 15 s. */
const deadAgents = `SELECT agent.name FROM market_agent.agent, market_agent.store
  WHERE lease_ends_ms < market_agent.now_ms() - 1000 AND market_agent.now_ms() - heard_ms BETWEEN 0 AND 4000
    AND EXISTS (SELECT FROM market_agent.agent AS other WHERE other.lease_ends_ms > market_agent.now_ms() + 11000)`

/** The orders that their agents have from a webhook only. */
const receivedOrders = `SELECT transaction_id AS id FROM market_agent.orders WHERE phase = 'received'`

/** The turns and the ids that agents have, each of one call. */
const keptByCalls = `
  SELECT format('ticket %s of %s: %s', number, epoch, key) AS what FROM market_agent.ticket
  UNION ALL SELECT format('call of %s: %s', epoch, id) FROM market_agent.call WHERE epoch IS NOT NULL`

/** What agents have in common that send it: a key, or the id of a purchase. */
function sharedOf(request: SentRequest): string | undefined {
  if (request.operation !== 'transaction.create') return keyOf(request)
  return `id ${request.input['buyerCharacterRef']}`
}
