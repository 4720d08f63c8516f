/**
 * The numbers of the interface, by name and unit. The programs' own bounds are where they are used.
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
  /** An envelope that lives longer is refused, because its jti would have to be stored as long. */
  envelopeExpAheadSMax: 600,
  /** For envelopes that the game client carries, and for webhooks. */
  envelopeLifetimeS: 300,
  signingKeyBitsMin: 2_048,

  webhookTimeoutMs: 10_000,
  webhookRetryDelayMsFirst: 15_000,
  webhookRetryDelayMsMax: 3_600_000,

  agentPort: 8_899,
  idempotencyWindowMs: 600_000,
  idempotencyKeyLengthMax: 255,

  spoolScanIntervalMs: 200,
  spoolInFlightMax: 8,
} as const
