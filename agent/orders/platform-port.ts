import type { CallAnswer } from '../call/answer.ts'

/** The platform, as far as orders need it. These calls are the agent's own: they are not counted as the game server's. */
export interface OrdersPlatform {
  /** The platform's time, Unix ms. */
  platformMs(): number
  /**
   * One call with its retries. `retryAfterMs`: how long the platform asked to wait. Never throws.
   *
   * @param mark Of the stock in the input, if it has one.
   */
  call(
    operation: 'transaction.get' | 'transaction.delivery' | 'transaction.delivery-failure',
    input: Readonly<Record<string, unknown>>,
    mark?: number,
  ): Promise<{ readonly answer: CallAnswer; readonly retryAfterMs: number | undefined }>
}
