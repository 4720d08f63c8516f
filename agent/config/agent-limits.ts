/** The agent's own bounds and defaults. Those of the interface are in `contract/limits.ts`. */
export const agentLimits = {
  /** Calls over HTTP that may wait at the same time. */
  callsWaitingMax: 1_024,

  attemptTimeoutMs: 10_000,
  callDeadlineMs: 30_000,
  /** An attempt with less time than this would rather leave a doubt than an answer. */
  attemptTimeoutMsMin: 100,
  retryDelayMsFirst: 200,
  retryDelayMsMax: 5_000,
  retryBudgetShare: 0.2,
  retryBudgetPerS: 10,

  /** Added to one attempt's timeout for an envelope that the agent sends itself. */
  envelopeAttemptSlackS: 20,
  /** How long past its `exp` a webhook still passes, on the corrected clock. */
  webhookLeewayS: 30,
  /** Far below the shortest life of an attempt's envelope, above what a `Date` in whole seconds leaves open. */
  clockOffsetMsTolerated: 2_000,
} as const
