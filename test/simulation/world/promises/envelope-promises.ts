import { limits } from '../../../../contract/limits.ts'
import { type HostClock, startOfRunMs, wasSetSince } from '../../host-clock.ts'
import type { Network } from '../../network/network.ts'
import type { GameCall, Told } from '../game/call-agent.ts'
import type { Break } from './judge.ts'
import { platformTimeErrorMsMax } from './platform-time.ts'
import { withoutMark } from './repetition.ts'
import { parseSignature } from './signature.ts'

/** As the guides say. */
const lifeOfEnvelopeS = 300
const lifetimeMs = limits.envelopeLifetimeS * 1_000

interface EnvelopePromisesParts {
  readonly break: Break
  readonly nowMs: () => number
  readonly network: Pick<Network, 'wasDateWrong'>
  /** Of the host. The next process does not know how old an answer is if it was set meanwhile. */
  readonly clock: Pick<HostClock, 'lastSetMs'>
  /** Files may be read late. */
  readonly isByFiles: boolean
}

interface ToldEnvelope {
  readonly text: string
  readonly expiresMs: number
  readonly toldMs: number
}

/** How late an answer may be read. */
const readMsMax = 120_000

/**
 * A game client may act once with each envelope, so an id has only one while that lives (I2). One that is over is not given
 * again.
 */
export class EnvelopePromises {
  readonly #parts: EnvelopePromisesParts
  readonly #last = new Map<string, ToldEnvelope>()

  constructor(parts: EnvelopePromisesParts) {
    this.#parts = parts
  }

  readonly onTold = ({ operation, id }: GameCall, { ok, text, data }: Told): void => {
    if (!operation.endsWith('.envelope') || !ok) return
    this.#checkLife(text, data)
    if (id === undefined) return
    const { nowMs, clock, network } = this.#parts
    const last = this.#last.get(id)
    const envelope = withoutMark(text)
    if (last?.text === envelope) {
      this.#checkNotOver(id, last)
      return
    }
    const expiresMs = Date.parse(String(data['expiresAt'])) - startOfRunMs
    // A repetition may be older than anybody here knows: another process may have been told first. An envelope that was signed
    // by a clock that is ahead lives for longer than its agent knows.
    if (expiresMs > nowMs() + lifetimeMs + platformTimeErrorMsMax) this.#last.delete(id)
    else if (envelope === text) this.#last.set(id, { text: envelope, expiresMs, toldMs: nowMs() })
    if (!last || network.wasDateWrong) return
    // It may have been signed before it was told.
    const livesUntilMs = Math.min(last.expiresMs, last.toldMs + lifetimeMs) - platformTimeErrorMsMax
    const signedMs = livesUntilMs - lifetimeMs
    if (nowMs() < livesUntilMs && (clock.lastSetMs ?? 0) < signedMs)
      this.#parts.break('an id gets one envelope while that lives', `${id}: ${last.text} and ${envelope}`)
  }

  /** A player may need minutes. The caller goes by `expiresAt`, and the platform by the signature. */
  #checkLife(text: string, { headers, expiresAt }: Told['data']): void {
    // A file may get the answer to another question with its id.
    if (headers === undefined) return
    const { iat = 0, exp = 0 } = parseSignature(Object.entries(headers as Record<string, string>).flat()) ?? {}
    if (exp - iat !== lifeOfEnvelopeS || Date.parse(String(expiresAt)) !== exp * 1_000)
      this.#parts.break('an envelope lives for five minutes, as its caller is told', text)
  }

  #checkNotOver(id: string, { text, toldMs }: ToldEnvelope): void {
    const { nowMs, clock, isByFiles } = this.#parts
    const isComparable = !isByFiles && !wasSetSince(clock, toldMs)
    if (isComparable && nowMs() > toldMs + lifetimeMs + readMsMax)
      this.#parts.break('an envelope that is over is not given again', `${id}: ${text}`)
  }
}
