/** Bounds of the stub itself; those of the interface are in `contract/limits.ts`. */
export const stubLimits = {
  /** Attempts under way at once towards one game server, so that a slow one delays no other. */
  webhookInFlightPerReceiverMax: 16,
  /** How much of a receiver's answer is read. */
  webhookAnswerBytesMax: 65_536,
  /** How much of it is kept with the attempt. */
  webhookAnswerKeptLengthMax: 2_048,
  /** How long a jump of the clock waits for a receiver. */
  travelAttemptTimeoutMs: 2_000,
  /** Moves that time makes in one turn of the event loop, some 5 ms: requests are answered between them. */
  dueMovesPerTurnMax: 100,
  /** The transactions of test events have greater numbers than this one, and no sale has; they fit into 32 bits. */
  testTransactionIdAbove: 2_000_000_000,
  /** The longest delay and the most copies that a fault may ask for. */
  faultDelayMsMax: 3_600_000,
  faultCopiesMax: 100,

  journalEntriesMax: 1_000,
  /** Longer signing inputs are kept with the newest entries alone, and there whole. */
  journalSigningInputLengthMax: 16_384,
  /** The same for bodies. */
  journalBodyLengthMax: 4_096,
  journalWholeEntriesMax: 100,
  listLengthDefault: 100,
  listLengthMax: 1_000,
  /** Attempts that a list gives with each delivery; the console shows all, page by page. */
  webhookAttemptsListedMax: 20,

  /** Pages that are open at once, of everyone together. */
  pageStreamsMax: 200,
  /** Open pages get changes at most this often. */
  pageChangesIntervalMs: 250,
  /** So often an open page's connection is written to, and what it shows is looked at for what time alone changed. */
  pageBeatMs: 10_000,
  /** A page that lost its connection asks again after this. */
  pageRetryMs: 1_000,
  /** Rows of a console page; older ones are on the next. */
  consoleRowsMax: 50,

  /** The newest envelopes are known even after their exp, in case the clock is set back. */
  replaysKeptMin: 10_000,
  /** Expired envelopes are forgotten this often, and this many at a time. */
  replayForgettingIntervalMs: 10_000,
  replaysForgottenMax: 100_000,

  /** An alarm is never set further ahead: the timers of a computer that slept are late. */
  alarmMsMax: 30_000,
  /** What could not be written is tried again after this. */
  storeRetryMs: 1_000,
} as const
