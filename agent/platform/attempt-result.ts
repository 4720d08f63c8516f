/** What became of one attempt. */
export type AttemptResult =
  | {
      readonly kind: 'answered'
      readonly status: number
      readonly date: string | undefined
      readonly retryAfter: string | undefined
      readonly body: Uint8Array
    }
  /**
   * `wasSent` false is the one proof that the platform has seen nothing: this attempt never had a connected socket to
   * write to. No error code proves it.
   */
  | { readonly kind: 'failed'; readonly wasSent: boolean; readonly cause: Error }
