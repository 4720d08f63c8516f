import type { AttemptResult } from '../../../../agent/platform/attempt-result.ts'
import type { GameCall, Told } from '../game/call-agent.ts'
import type { SentRequest } from '../sent-request.ts'
import { keyOfAny, keyOfAnySent } from './call-keys.ts'
import { fieldsIn } from './fields-in.ts'
import type { Break } from './judge.ts'

interface Refusal {
  readonly message: unknown
}

/** A refusal that the agent passes on has the status and the message of an answer to an attempt for such a call (I5). */
export class PassedOnPromises {
  readonly #break: Break
  /** By key, every refusal of the platform: its status and its message. */
  readonly #refusals = new Map<string, Set<string>>()

  constructor(parts: { readonly break: Break }) {
    this.#break = parts.break
  }

  /** An attempt leaves. @returns Called when it has ended. */
  onSent(request: SentRequest): ((result: AttemptResult) => void) | undefined {
    const key = keyOfAnySent(request)
    if (key === undefined) return undefined
    return (result) => {
      if (result.kind !== 'answered' || result.status < 400) return
      const { message } = fieldsIn<Refusal>(result.body)
      // An answer without one is a page, or half of an answer.
      if (message !== undefined)
        this.#refusals.set(key, (this.#refusals.get(key) ?? new Set()).add(`${result.status} ${message}`))
    }
  }

  onTold(call: GameCall, { ok, code, status = 0, text }: Told): void {
    const key = keyOfAny(call)
    // One with a code is the agent's own.
    if (key === undefined || ok || code !== undefined) return
    if (!this.#refusals.get(key)?.has(`${status} ${fieldsIn<Refusal>(text).message}`))
      this.#break('a refusal is passed on as the platform has said it', `${key}: ${text}`)
  }
}
