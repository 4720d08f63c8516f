/**
 * When a request may use a connection that is idle. Pure: connections and times are given. Times are monotonic ms.
 *
 * A server closes connections that are idle for too long, and a request that it gets then is lost without a trace. The
 * agent learns how long they live from connections that it does not use any more: one that is still open has lived until
 * now, and one that was closed shows the limit. A request uses a connection only in the first third of that time. The
 * rest allows for the distance, and for a server that is not exact.
 *
 * @see docs/decisions/0104
 */
export interface IdleConnection {
  /** Servers may close those that were never used sooner or later than the others. */
  readonly kind: 'unused' | 'used'
  /** When it was opened, or its last answer ended. */
  readonly sinceMs: number
}

/** How long idle connections of each kind are known to live. */
export type Lifetimes = Readonly<Record<IdleConnection['kind'], number>>

/** What holds for a platform of which nothing is known. No server closes sooner than after half a second. */
export const lifetimesAtFirst: Lifetimes = { unused: 450, used: 450 }
/** Longer than that no connection is idle, and nothing more is learned. */
const lifetimeMsMax = 60_000
/** A connection that would have to be renewed more often is not kept ready. */
const renewalMsMin = 1_000
/** After this time without a request no connection is kept. */
export const unusedMsMax = 600_000

/** How long a request may use a connection of this kind. */
function usableMs(lifetimes: Lifetimes, kind: IdleConnection['kind']): number {
  return lifetimes[kind] / 3
}

/** Whether a request may use a connection at a moment. */
function isUsable({ kind, sinceMs }: IdleConnection, lifetimes: Lifetimes, atMs: number): boolean {
  return atMs - sinceMs <= usableMs(lifetimes, kind)
}

/** The connection that a request uses now: the one with the most recent sign of life. */
export function chooseIdle<Idle extends IdleConnection>(
  idle: Iterable<Idle>,
  lifetimes: Lifetimes,
  nowMs: number,
): Idle | undefined {
  let chosen: Idle | undefined
  for (const one of idle)
    if (isUsable(one, lifetimes, nowMs) && (chosen === undefined || one.sinceMs > chosen.sinceMs)) chosen = one
  return chosen
}

/** These connections are open at a moment. */
export function learnOpen(lifetimes: Lifetimes, idle: Iterable<IdleConnection>, atMs: number): Lifetimes {
  const learned = { ...lifetimes }
  for (const { kind, sinceMs } of idle) learned[kind] = Math.min(lifetimeMsMax, Math.max(learned[kind], atMs - sinceMs))
  return learned
}

/** An idle connection was closed, and not by the agent. */
export function learnClosed(lifetimes: Lifetimes, { kind, sinceMs }: IdleConnection, atMs: number): Lifetimes {
  return { ...lifetimes, [kind]: Math.min(lifetimes[kind], Math.max(0, atMs - sinceMs)) }
}

/** What follows for the idle connections at a look. */
export interface Upkeep<Idle> {
  readonly close: readonly Idle[]
  /** What is missing: a connection for the next request, or one that only shows how long it lives. */
  readonly missing: 'ready' | 'learner' | undefined
}

/**
 * Kept are those that a request may use, and the oldest of each kind, from which the agent learns.
 *
 * @param nextLookMs Until then at least one must be usable.
 */
export function upkeep<Idle extends IdleConnection>(
  idle: readonly Idle[],
  lifetimes: Lifetimes,
  nowMs: number,
  nextLookMs: number,
): Upkeep<Idle> {
  const isKept = (one: Idle) =>
    nowMs - one.sinceMs < lifetimeMsMax && (isUsable(one, lifetimes, nowMs) || one === oldestOf(idle, one.kind, nowMs))
  const kept = idle.filter(isKept)
  const isOneReady = kept.some((one) => isUsable(one, lifetimes, nextLookMs))
  const isLearning = kept.some(({ kind }) => kind === 'unused')
  const isWorthIt = usableMs(lifetimes, 'unused') >= renewalMsMin
  const missing = isOneReady ? undefined : isWorthIt ? 'ready' : isLearning ? undefined : 'learner'
  return { close: idle.filter((one) => !isKept(one)), missing }
}

/** The one from which the agent learns, among those of a kind that are not too old. */
function oldestOf<Idle extends IdleConnection>(
  idle: readonly Idle[],
  kind: IdleConnection['kind'],
  nowMs: number,
): Idle | undefined {
  let oldest: Idle | undefined
  for (const one of idle)
    if (one.kind === kind && nowMs - one.sinceMs < lifetimeMsMax && (!oldest || one.sinceMs < oldest.sinceMs))
      oldest = one
  return oldest
}
