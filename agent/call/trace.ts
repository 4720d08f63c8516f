/** The facts for the log line of a call, collected on its way. */
export interface CallTrace {
  attempts: number
  readonly retryDelaysMs: number[]
  /** The last fault and its cause. Never a body, a header or a key. */
  fault: string | undefined
  cause: string | undefined
  /** How long the platform asked to wait, by its last answer. */
  retryAfterMs: number | undefined
  /** False when the journal could not store the answer. */
  isKept: boolean
  /** Where the answer came from. */
  source: 'platform' | 'agent' | 'stored' | 'shared'
}

export function newTrace(): CallTrace {
  return {
    attempts: 0,
    retryDelaysMs: [],
    fault: undefined,
    cause: undefined,
    retryAfterMs: undefined,
    isKept: true,
    source: 'agent',
  }
}
