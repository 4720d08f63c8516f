/** What an attempt shows about the connection to the platform. */
export type ContactSign =
  /** An answer in the interface's form; a refusal is one too. */
  { readonly kind: 'proof' } | { readonly kind: 'trouble'; readonly reason: string }

/** What the last attempt showed. The agent is not ready before an attempt has proved that calls go through. */
export class Contact {
  #reason: string | undefined = 'no answer from the platform yet'

  observe(sign: ContactSign): void {
    this.#reason = sign.kind === 'proof' ? undefined : sign.reason
  }

  /** Why calls may not go through; empty when the last one did. */
  get reasons(): readonly string[] {
    return this.#reason === undefined ? [] : [this.#reason]
  }
}
