import type { StoreSession } from '../../../../agent/postgres/session.ts'
import type { StoreCluster } from '../../sql/store-cluster.ts'
import type { AgentWitness, GivenCall } from '../witnessed.ts'
import type { Break } from './judge.ts'
import { watchedSession } from './watched-session.ts'

const claims = 'market_agent.claim('
const finishes = 'market_agent.finish('

/** When an agent has told a caller that a purchase is in doubt, it stores no other answer to it. A doubt does not replace a stored success. */
export class ToldDoubtPromises implements Partial<AgentWitness> {
  readonly #break: Break
  readonly #store: Pick<StoreCluster, 'look'>
  /** The ids of the purchases of this agent that are in doubt. */
  readonly #told = new Set<unknown>()

  constructor(onBroken: Break, store: Pick<StoreCluster, 'look'>) {
    this.#break = onBroken
    this.#store = store
  }

  onGiven({ operation, id }: GivenCall, text: string): void {
    if (operation === 'transaction.create' && text.includes('"uncertain":true')) this.#told.add(id)
  }

  /** The same session of this agent, watched. */
  watch(session: StoreSession): StoreSession {
    return watchedSession(session, async ({ sql, values = [] }, ask) => {
      const [, id, , , answer] = values
      if (sql.includes(claims)) this.#told.delete(id)
      if (sql.includes(finishes) && this.#told.has(id) && String(answer).startsWith('{"ok":true'))
        this.#break('no answer is stored after its caller was told that it is in doubt', `${id}: ${answer}`)
      const isDoubt = sql.includes(finishes) && String(answer).includes('"uncertain":true')
      const before = isDoubt ? this.#findSuccess(id) : undefined
      const result = await ask()
      const after = before && this.#findSuccess(id)
      // In the middle of a transaction of an agent, nobody knows.
      if (before?.[0] && after?.length === 0)
        this.#break('a doubt does not replace a stored success', `${id}: ${before[0]['answer']}`)
      return result
    })
  }

  /** One row, or none; undefined if nobody knows. A window that ends soon may end meanwhile. */
  #findSuccess(id: unknown) {
    const sql = `SELECT answer FROM market_agent.call
      WHERE id = $1 AND epoch IS NULL AND ends_at_ms > market_agent.now_ms() AND answer LIKE '{"ok":true%'`
    return this.#store.look(sql, [id])
  }
}
