import type { StoreSession } from '../../../../agent/postgres/session.ts'
import type { AgentWitness, GivenCall } from '../witnessed.ts'
import type { Break } from './judge.ts'
import { watchedSession } from './watched-session.ts'

const claims = 'market_agent.claim('
const finishes = 'market_agent.finish('

/** When an agent has told a caller that a purchase is in doubt, it stores no other answer to it. */
export class ToldDoubtPromises implements Partial<AgentWitness> {
  readonly #break: Break
  /** The ids of the purchases of this agent that are in doubt. */
  readonly #told = new Set<unknown>()

  constructor(onBroken: Break) {
    this.#break = onBroken
  }

  onGiven({ operation, id }: GivenCall, text: string): void {
    if (operation === 'transaction.create' && text.includes('"uncertain":true')) this.#told.add(id)
  }

  /** The same session of this agent, watched. */
  watch(session: StoreSession): StoreSession {
    return watchedSession(session, ({ sql, values = [] }, ask) => {
      const [, id, , , answer] = values
      if (sql.includes(claims)) this.#told.delete(id)
      if (sql.includes(finishes) && this.#told.has(id) && String(answer).startsWith('{"ok":true'))
        this.#break('no answer is stored after its caller was told that it is in doubt', `${id}: ${answer}`)
      return ask()
    })
  }
}
