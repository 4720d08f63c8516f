/** The only source of tokens and identifiers that must not be guessed. */
export interface Random {
  /** What was given as `--seed`; null without one: nothing can be predicted. */
  readonly seed: string | null
  /** 256 bits, base64url. With a seed the same purpose and subject always give the same token. */
  token(purpose: string, subject: string | number): string
  /** A version 4 UUID, under the same rule. */
  uuid(purpose: string, subject: string | number): string
}
