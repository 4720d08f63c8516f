import type { StoreCluster } from '../../sql/store-cluster.ts'
import type { OpenOrder } from '../server.ts'
import type { AgentWitness, GivenCall, SentRequest } from '../witnessed.ts'
import type { Break } from './judge.ts'
import type { Unfinished } from './quiet-promises.ts'

/** An attempt that an agent has not given up. */
interface UnderWay {
  readonly agentName: string
  readonly epoch: unknown
}

const readyStates = 'name = $1 AND lease_ends_ms > market_agent.now_ms()'

/**
 * What agents promise that share a store: a purchase leaves when its intent is in the store, its answer is given when it is
 * in the store, and no two of them work with one key at a time. The buyer of each purchase has the name of its id.
 */
export class SharedStorePromises {
  readonly #break: Break
  readonly #store: StoreCluster
  /** By key. */
  readonly #underWay = new Map<string, Set<UnderWay>>()

  constructor(onBroken: Break, store: StoreCluster) {
    this.#break = onBroken
    this.#store = store
  }

  /** What one agent is watched by. */
  witnessOf(agentName: string): Pick<AgentWitness, 'onSent' | 'onGiven'> {
    return {
      onSent: (request) => {
        this.#checkIntent(request)
        return this.#follow(agentName, request)
      },
      onGiven: (call, text) => this.#checkAnswer(call, text),
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
    const sql = `SELECT 'ticket ' || key AS what FROM market_agent.ticket
      UNION ALL SELECT 'call ' || id FROM market_agent.call WHERE epoch IS NOT NULL`
    const [row] = this.#store.look(sql) ?? []
    return row && { promise: 'nothing is left in the store when all is quiet', facts: String(row['what']) }
  }

  #checkIntent({ path, body }: SentRequest): void {
    if (path !== '/v1/api/transactions') return
    const { buyerCharacterRef: id } = JSON.parse(body) as { readonly buyerCharacterRef: string }
    const rows = this.#store.look('SELECT FROM market_agent.call WHERE id = $1 AND in_doubt', [id])
    if (rows && (rows.length === 0 || this.#store.isUnsynced(id)))
      this.#break('a purchase is sent only if its intent is in the store', id)
  }

  #checkAnswer({ operation, id = '' }: GivenCall, text: string): void {
    if (operation !== 'transaction.create' || !text.startsWith('{"ok":true')) return
    const rows = this.#store.look('SELECT FROM market_agent.call WHERE id = $1 AND answer IS NOT NULL', [id])
    if (rows && (rows.length === 0 || this.#store.isUnsynced(id)))
      this.#break('the answer to a purchase is given only if it is in the store', id)
  }

  /** @returns Called when the attempt has ended. */
  #follow(agentName: string, request: SentRequest): (() => void) | undefined {
    const key = keyOf(request)
    if (key === undefined) return undefined
    const others = this.#underWay.get(key) ?? new Set()
    this.#underWay.set(key, others)
    for (const other of others)
      if (other.agentName !== agentName && this.#epochOf(other.agentName) === other.epoch)
        this.#break('no two agents work with one key at a time', `${key}: ${other.agentName} and ${agentName}`)
    const underWay = { agentName, epoch: this.#epochOf(agentName) }
    others.add(underWay)
    return () => void others.delete(underWay)
  }

  /** The life of an agent that nobody has taken over from. */
  #epochOf(agentName: string): unknown {
    const rows = this.#store.look(`SELECT epoch FROM market_agent.agent WHERE ${readyStates}`, [agentName])
    return rows?.[0]?.['epoch'] ?? Symbol('none')
  }
}

/** What puts the requests of a game server in order. */
function keyOf({ path, body }: SentRequest): string | undefined {
  const [, transactionId] = /^\/v1\/api\/transactions\/(\d+)\/delivery/.exec(path) ?? []
  if (transactionId !== undefined) return `transactionId ${transactionId}`
  if (path !== '/v1/api/market/listings') return undefined
  return `itemRef ${(JSON.parse(body) as { readonly itemRef: string }).itemRef}`
}
