import { operations } from '../../contract/operations.ts'
import type { CallAnswer } from '../call/answer.ts'
import type { Call } from '../call/call.ts'
import type { CallTrace } from '../call/trace.ts'

/** Upper bounds in seconds, up to the default deadline of a call and one step more. */
const durationBoundsS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60] as const

/** Numbers by their labels. */
export class LabelledCounts<Label extends string> {
  readonly labels: readonly Label[]
  readonly #counts = new Map<string, { readonly values: readonly string[]; count: number }>()

  constructor(labels: readonly Label[]) {
    this.labels = labels
  }

  add(amount: number, ...values: readonly string[]): void {
    const key = values.join(' ')
    const known = this.#counts.get(key)
    if (known) known.count += amount
    else this.#counts.set(key, { values, count: amount })
  }

  *entries(): Generator<{ readonly labels: Record<Label, string>; readonly count: number }> {
    for (const { values, count } of this.#counts.values()) {
      const labels = Object.fromEntries(this.labels.map((label, n) => [label, values[n] ?? '']))
      yield { labels: labels as Record<Label, string>, count }
    }
  }
}

/** What the agent has done since its start. Counting costs next to nothing; reading is for those who ask. */
export class Counters {
  readonly calls = new LabelledCounts(['operation', 'outcome', 'source'])
  readonly attempts = new LabelledCounts(['operation', 'result'])
  readonly webhooks = new LabelledCounts(['event', 'result'])
  /** As GET /status shows them. */
  readonly ended = { ok: 0, refused: 0, uncertain: 0 }
  readonly durations = {
    boundsS: durationBoundsS,
    /** Number of calls in each bucket, without those below it; the last one has no bound. */
    counts: Array.from({ length: durationBoundsS.length + 1 }, () => 0),
    sumS: 0,
  }

  constructor() {
    // The first of its kind is a rise from 0, which alerts can see, and no new series at 1.
    for (const [operation, { kind }] of Object.entries(operations)) {
      if (kind !== 'platform') continue
      for (const outcome of ['ok', 'refused', 'uncertain', 'not-kept'])
        this.calls.add(0, operation, outcome, 'platform')
    }
  }

  /** Counts the end of a call. An answer that the journal could not keep is counted as `not-kept`. */
  onAnswered({ operationName }: Pick<Call, 'operationName'>, answer: CallAnswer, trace: CallTrace, ms: number): void {
    const outcome = answer.ok ? 'ok' : answer.uncertain ? 'uncertain' : 'refused'
    this.ended[outcome]++
    this.calls.add(1, operationName, trace.isKept ? outcome : 'not-kept', trace.source)
    const seconds = ms / 1000
    const bucket = durationBoundsS.findIndex((bound) => seconds <= bound)
    const { durations } = this
    durations.sumS += seconds
    const at = bucket < 0 ? durationBoundsS.length : bucket
    durations.counts[at] = (durations.counts[at] ?? 0) + 1
  }

  /** @param result `ok`, or the fault of the attempt. */
  onAttempt(operation: string, result: string): void {
    this.attempts.add(1, operation, result)
  }

  /** @param event Null where it is not known. */
  onWebhook(event: string | null, result: string): void {
    this.webhooks.add(1, event ?? 'unknown', result)
  }
}
