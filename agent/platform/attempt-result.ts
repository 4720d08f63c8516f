/** The result of one attempt. */
export type AttemptResult =
  | {
      readonly kind: 'answered'
      readonly status: number
      readonly date: string | undefined
      readonly retryAfter: string | undefined
      readonly body: Uint8Array
    }
  /**
   * `wasSent` false is the only proof that the platform saw nothing: the attempt never had a connected socket. No error
   * code proves it.
   */
  | { readonly kind: 'failed'; readonly wasSent: boolean; readonly cause: Error }

/** The time of an attempt was over before it could leave: the host is too busy, or was suspended. It shows nothing about the platform. */
export class NotBegunError extends Error {
  override readonly name = 'NotBegunError'
}
