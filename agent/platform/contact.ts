import type { Sent } from './sent.ts'

/** What the last attempt says of the way to the platform. Nothing is ready without proof. */
export class Contact {
  #reason: string | undefined = 'no answer from the platform yet'

  observe(sent: Sent): void {
    if (sent.kind === 'failed') this.#reason = `the platform does not answer: ${sent.cause.message}`
    else if (sent.status === 401) this.#reason = 'the platform refuses key or signature (HTTP 401)'
    else if (sent.status >= 500) this.#reason = `the platform is not well (HTTP ${sent.status})`
    else this.#reason = undefined
  }

  /** Why calls may not go through; empty when the last one did. */
  get reasons(): readonly string[] {
    return this.#reason === undefined ? [] : [this.#reason]
  }
}
