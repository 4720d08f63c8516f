/** Bounds of the stub itself; those of the interface stand in `contract/limits.ts`. */
export const stubLimits = {
  /** Attempts under way at once towards one game server, so that a slow one delays no other. */
  webhookInFlightPerReceiverMax: 16,
  /** How much of a receiver's answer is read. */
  webhookAnswerBytesMax: 65_536,
  /** How much of it is kept with the attempt. */
  webhookAnswerKeptLengthMax: 2_048,
  /** How long a jump of the clock waits for a receiver. */
  travelAttemptTimeoutMs: 2_000,
  /** Due moves that the disk refused are tried again after this. */
  dueMovesRetryMs: 1_000,

  journalEntriesMax: 1_000,
  journalSigningInputLengthMax: 16_384,
  listLengthDefault: 100,
  listLengthMax: 1_000,

  /** A body over the limit is read and dropped up to here, so that its sender gets to read the refusal. */
  bodyBytesDroppedMax: 1_048_576,
  headersTimeoutMs: 5_000,
  requestTimeoutMs: 10_000,
  keepAliveTimeoutMs: 65_000,
  /** A graceful end waits this long for what is in flight. */
  shutdownMs: 10_000,

  /** Expired jtis forgotten at a time. */
  replaysPrunedMax: 500,
  replayPruneIntervalMs: 1_000,
} as const
