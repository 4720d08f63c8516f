/** How the platform behaves, from the options of `serve`. Durations in ms of the stub's clock. */
export interface Settings {
  /** An unpaid transaction expires this long after its creation. */
  readonly paymentExpiryMs: number
  /** A stock observation counts while it is at most this old. */
  readonly observationFreshnessMs: number
  /** A delivered transaction completes this long after its delivery. */
  readonly completionDelayMs: number
  /** A character link can be confirmed for this long. */
  readonly linkExpiryMs: number
  /** Lets a repeated envelope pass on the signature-only routes. */
  readonly allowOfferReplay: boolean
}

/** The values without an option on the command line. */
export const defaultSettings: Settings = {
  paymentExpiryMs: 30 * 60_000,
  observationFreshnessMs: 10 * 60_000,
  completionDelayMs: 0,
  linkExpiryMs: 15 * 60_000,
  allowOfferReplay: false,
}
