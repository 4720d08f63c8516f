/**
 * Every number of the interface and of the two programs' public promises, by name and unit.
 * Bounds are inclusive: a body of exactly `bodyBytesMax` passes.
 *
 * @see interface section 8
 */
export const limits = {
  attributesLengthMin: 1,
  attributesLengthMax: 255,
  bodyBytesMax: 65_536,
  jsonDepthMax: 32,

  envelopeHeaderBytesMax: 4_096,
  /** In UTF-16 units; a UUID has 36. */
  envelopeJtiLengthMax: 255,
  /** An envelope that lives longer than this is refused: its jti would have to be remembered as long. */
  envelopeExpAheadSMax: 600,
  /** What the game client carries, and what webhooks carry. */
  envelopeLifetimeS: 300,
  /** Added to one attempt's timeout for an envelope that the agent sends itself. */
  envelopeAttemptSlackS: 20,
  webhookLeewayS: 30,
  signingKeyBitsMin: 2_048,

  webhookTimeoutMs: 10_000,
  webhookRetryDelayMsFirst: 15_000,
  webhookRetryDelayMsMax: 3_600_000,

  agentPort: 8_899,
  idempotencyWindowMs: 600_000,
  idempotencyKeyLengthMax: 255,
  callsWaitingMax: 1_024,
  attemptTimeoutMs: 10_000,
  callDeadlineMs: 30_000,
  /** An attempt with less time than this would rather leave a doubt than an answer. */
  attemptTimeoutMsMin: 100,
  retryDelayMsFirst: 200,
  retryDelayMsMax: 5_000,
  retryBudgetShare: 0.2,
  retryBudgetPerS: 10,
  /** Far below the shortest life of an attempt's envelope, above what a `Date` in whole seconds leaves open. */
  clockOffsetMsTolerated: 2_000,

  spoolScanIntervalMs: 200,
  spoolInFlightMax: 8,
} as const
