import type { AttemptResult } from '../../../../agent/platform/attempt-result.ts'
import type { GameCall, Told } from '../game/call-agent.ts'
import type { SentRequest } from '../sent-request.ts'
import { keyOfCall, keyOfSent } from './call-keys.ts'
import type { Break } from './judge.ts'

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
    const key = keyOfSent(request)
    if (key === undefined) return undefined
    return (result) => {
      if (result.kind !== 'answered' || result.status < 400) return
      const refusal = refusalOf(result.status, Buffer.from(result.body).toString())
      this.#refusals.set(key, (this.#refusals.get(key) ?? new Set()).add(refusal))
    }
  }

  onTold(call: GameCall, { ok, code, status = 0, text }: Told): void {
    const key = keyOfCall(call)
    // One with a code is the agent's own.
    if (key === undefined || ok || code !== undefined) return
    if (!this.#refusals.get(key)?.has(refusalOf(status, text)))
      this.#break('a refusal is passed on as the platform has said it', `${key}: ${text}`)
  }
}

function refusalOf(status: number, text: string): string {
  try {
    return `${status} ${(JSON.parse(text) as { readonly message?: unknown }).message}`
  } catch {
    // A page, or half of an answer.
    return `${status}`
  }
}
