import type { AgentConfig } from '../../../../agent/config/config.ts'
import type { Status } from '../../../../agent/status/status.ts'
import { apiKeyHeaderName } from '../../../../contract/envelope/protected-header.ts'
import { headerIn } from '../../network/message.ts'
import { bearer } from '../call-door.ts'
import type { SentRequest } from '../sent-request.ts'
import type { GivenCall } from '../witnessed.ts'
import type { Break } from './judge.ts'

interface CredentialPromisesParts {
  readonly break: Break
  /** As the agent read it last. */
  readonly config: () => AgentConfig | undefined
  /** When it read that: virtual time. */
  readonly configReadMs: () => number
  readonly nowMs: () => number
  /** An attempt keeps the credentials with which it begins. It is signed before it leaves. */
  readonly attemptTimeoutMs: number
}

/** After a reload an agent shows what the new configuration says, to the platform and to the game server, and asks for it. */
export class CredentialPromises {
  readonly #parts: CredentialPromisesParts

  /** The calls that show the token which was in use when they arrived. */
  readonly #mayCall = new WeakMap<GivenCall, boolean>()

  constructor(parts: CredentialPromisesParts) {
    this.#parts = parts
  }

  onSigned(kid: string): void {
    if (kid !== this.#parts.config()?.signingKey.kid)
      this.#parts.break('after a reload, requests are signed with the new key', kid)
  }

  /** A request leaves for the platform. Some need no API key. */
  onSent({ path, headers }: SentRequest): undefined {
    const apiKey = headerIn(headers, apiKeyHeaderName)
    if (apiKey !== undefined && apiKey !== this.#parts.config()?.apiKey && !this.#isJustReloaded)
      this.#parts.break('after a reload, requests have the new API key', path)
  }

  /** An order or a terminal event leaves for the game server. */
  onPushed(headers: readonly string[]): void {
    const token = this.#parts.config()?.webhook?.forwardToken
    if (headerIn(headers, 'authorization') !== `Bearer ${token}` && !this.#isJustReloaded)
      this.#parts.break('after a reload, orders are posted with the new token')
  }

  /** A call over HTTP arrives. */
  onTaken(call: GivenCall, headers: readonly string[]): void {
    this.#mayCall.set(call, headerIn(headers, 'authorization') === bearer(this.#parts.config()?.token))
  }

  onGiven(call: GivenCall, answer: string): void {
    const mayCall = this.#mayCall.get(call) === true
    // A request may be refused for something else first.
    const isWrong = mayCall ? answer.includes('"code":"TOKEN_INVALID"') : answer.startsWith('{"ok":true')
    if (isWrong) this.#parts.break('after a reload, calls need the new token', `${mayCall}: ${answer}`)
  }

  /** The staff compare what it shows with what they have registered. @param requestedMs The keys may be those of then. */
  onStatusGiven({ keys }: Pick<Status, 'keys'>, requestedMs: number): void {
    const { config: read, configReadMs } = this.#parts
    const config = read()
    const kids = [keys.signing, ...keys.platform].map(({ kid }) => kid)
    const isRight = kids.join() === [config?.signingKey.kid, ...(config?.platformKeys.keys() ?? [])].join()
    if (!isRight && requestedMs > configReadMs()) this.#parts.break('the status shows the keys in use', kids.join())
  }

  get #isJustReloaded(): boolean {
    const { nowMs, configReadMs, attemptTimeoutMs } = this.#parts
    return nowMs() < configReadMs() + attemptTimeoutMs
  }
}
