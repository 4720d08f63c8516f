import { createPrivateKey, type KeyObject } from 'node:crypto'
import type { ProtectedHeader } from '../../contract/envelope/protected-header.ts'
import { sealEnvelope } from '../../contract/envelope/seal.ts'
import { limits } from '../../contract/limits.ts'
import { brokenHeader, type WebhookFaultKind } from '../faults/webhook-fault.ts'
import type { Random } from '../marketplace/random.ts'
import type { PlatformKeyRow } from '../store/platform-row.ts'
import type { WebhookDeliveryRow } from '../store/webhook-rows.ts'

/** Signs webhooks with the platform's key, each attempt anew: the jti and the five minutes are the attempt's own. */
export class WebhookSeal {
  readonly #random: Random
  readonly #platformKey: () => Promise<PlatformKeyRow>
  #signingKey: { kid: string; key: KeyObject } | undefined

  constructor(random: Random, platformKey: () => Promise<PlatformKeyRow>) {
    this.#random = random
    this.#platformKey = platformKey
  }

  /**
   * @param attempt Its number, and its moment in Unix ms.
   * @param fault What is to be wrong with the header, if anything.
   */
  async seal(
    { id, payload }: WebhookDeliveryRow,
    attempt: { readonly number: number; readonly at: number },
    fault: WebhookFaultKind | undefined,
  ): Promise<{ header: ProtectedHeader; signature: string }> {
    this.#signingKey ??= await this.#loadSigningKey()
    const { kid, key } = this.#signingKey
    const iat = Math.floor(attempt.at / 1_000)
    const jti = this.#random.uuid('webhook-jti', `${id}:${attempt.number}`)
    const proper: ProtectedHeader = { alg: 'RS256', kid, jti, iat, exp: iat + limits.envelopeLifetimeS }
    const header = brokenHeader(fault, proper)
    return { header, signature: await sealEnvelope(header, Buffer.from(payload), key) }
  }

  async #loadSigningKey() {
    const { kid, privateKeyPem } = await this.#platformKey()
    return { kid, key: createPrivateKey(privateKeyPem) }
  }
}
