/** The agent's only source of time, so that tests travel instead of sleeping. */
export interface Clock {
  /** Unix time in ms, as this host believes it. Only for what others read: envelopes, timestamps. */
  wallMs(): number
  /** Milliseconds that never run backwards. For every window, timeout and duration. */
  monotonicMs(): number
  /** Calls back once, `delayMs` from now. The returned function cancels. */
  after(delayMs: number, callback: () => void): () => void
  /** Resolves `delayMs` from now. */
  sleep(delayMs: number): Promise<void>
}

export const systemClock: Clock = {
  wallMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  after(delayMs, callback) {
    const timer = setTimeout(callback, delayMs)
    return () => clearTimeout(timer)
  },
  sleep: (delayMs) =>
    new Promise((resolve) => {
      setTimeout(resolve, delayMs)
    }),
}
