import type { Mutant } from './mutant.ts'

/** Faults in what is known about stocks, and in sending them again. */
export const stockMutants: readonly Mutant[] = [
  {
    name: 'a repair is forgotten with the process',
    file: 'agent/call/noted-observations.ts',
    from: "this.#observations.set(itemRef, { at: 'due', quantity, lateUntilMs })",
    to: 'void [quantity, lateUntilMs]',
  },
  {
    name: 'a repair goes without its turn',
    file: 'agent/call/repairs.ts',
    from: 'const hasTurn = await turn.wait(this.#nowMs + sending.attemptTimeoutMs)',
    to: 'const hasTurn = true',
  },
  {
    name: 'a repair without an answer is not made again',
    file: 'agent/call/repairs.ts',
    from: "isOver ? { kind: 'settle' } : { kind: 'postpone', untilMs: againMs }",
    to: "{ kind: 'settle' }",
  },
  {
    name: 'a refused call ends the repair that was due',
    file: 'agent/call/observation.ts',
    from: 'return { ...before, lateUntilMs: Math.max(before.lateUntilMs, call.lateUntilMs) }',
    to: "return { at: 'quiet', lateUntilMs: Math.max(before.lateUntilMs, latestMs) }",
  },
  {
    name: 'what the platform got during a call is not sent again',
    file: 'agent/call/observation.ts',
    from: "if (newer !== undefined) return { at: 'due', quantity: newer, lateUntilMs: latestMs }",
    to: "if (newer !== undefined && lateUntilMs > 0) return { at: 'due', quantity: newer, lateUntilMs: latestMs }",
  },
  {
    name: 'a report that something older may have crossed is not sent again',
    file: 'agent/call/noted-observations.ts',
    from: "report.wasCrossed ? 'overwritten' : 'observe'",
    to: "'observe'",
  },
  {
    name: 'a clean end forgets what a killed process left',
    file: 'agent/call/noted-observations.ts',
    from: '[this.#unknown, ...this.#observations.values()]',
    to: '[...this.#observations.values()]',
  },
  {
    name: 'a report under way is not late for the next process',
    file: 'agent/call/noted-observations.ts',
    from: 'if (isClean && this.#reports.size === 0) await',
    to: 'if (isClean) await',
  },
  {
    name: 'a round of repairs forgets what was noted meanwhile',
    file: 'agent/call/repairs.ts',
    from: "    this.#phase = 'resting'\n    this.#nextRoundMs = Number.POSITIVE_INFINITY\n    this.#options.observations.endRound()\n",
    to: "    this.#options.observations.endRound()\n    this.#phase = 'resting'\n    this.#nextRoundMs = Number.POSITIVE_INFINITY\n",
  },
  {
    name: 'a repair that was noted does not wait for what the last process left',
    file: 'agent/call/noted-observations.ts',
    from: 'nowMs + Math.max(lateMs, Math.min(dueInMs, lifetimeMs))',
    to: 'nowMs + Math.min(dueInMs, lifetimeMs)',
  },
  {
    name: 'a stock that was refused for a full disk stays the newest',
    file: 'agent/call/noted-observations.ts',
    from: `        this.#set(itemRef, before)
        throw error`,
    to: '        throw error',
  },
  {
    name: 'what must be sent again is not synced',
    file: 'agent/journal/sqlite-journal.ts',
    from: `writer.commit(() => repairs.replace(repair)))
      await writer.sync()`,
    to: 'writer.commit(() => repairs.replace(repair)))',
  },
  {
    name: 'what was sent again comes back after a power cut',
    file: 'agent/journal/sqlite-journal.ts',
    from: `commitForSure(() => repairs.remove(itemRef))
      await writer.sync()`,
    to: 'commitForSure(() => repairs.remove(itemRef))',
  },
  {
    name: 'what a full disk could not note is noted with the next stock',
    file: 'agent/call/noted-observations.ts',
    from: '      this.#noteLater(itemRef)\n    }',
    to: '    }',
  },
  {
    name: 'a call without an effect takes back what an order has said',
    file: 'agent/call/observation.ts',
    from: "return { ...state, newer, lateUntilMs, before: { at: 'due', quantity, lateUntilMs } }",
    to: 'return { ...state, newer, lateUntilMs }',
  },
  {
    name: 'a stock that was sent again has crossed no report',
    file: 'agent/call/noted-observations.ts',
    from: "const mayHaveArrived = event.kind === 'settle' || (event.kind === 'end' && event.effect !== 'none')",
    to: "const mayHaveArrived = event.kind === 'end' && event.effect !== 'none'",
  },
  {
    name: 'a stock that was refused only for its time waits for another envelope',
    file: 'agent/call/repairs.ts',
    from: 'const againMs = isClockCorrected ? this.#nowMs + sending.attemptTimeoutMs : untilMs',
    to: 'const againMs = untilMs',
  },
  {
    name: 'the answer to a webhook arrives when it leaves',
    file: 'agent/orders/orders.ts',
    from: 'await endReport(lateUntilMs, isNewer',
    to: 'await endReport(0, isNewer',
  },
  {
    name: 'after the first round nothing wakes the repairs',
    file: 'agent/call/repairs.ts',
    from: '    this.#nextRoundMs = Number.POSITIVE_INFINITY\n    this.#options',
    to: '    this.#options',
  },
  {
    name: 'a stock that is refused is sent again and again',
    file: 'agent/call/repairs.ts',
    from: 'reading.ok || isInputRefused(reading)',
    to: 'reading.ok || (isInputRefused(reading) && reading.ok)',
  },
  {
    name: 'an attempt that may arrive late is forgotten when its call is accepted',
    file: 'agent/call/repairs.ts',
    from: 'effect: effectOf(outcome), lastAttemptMs, lateUntilMs } as const',
    to: "effect: effectOf(outcome), lastAttemptMs, lateUntilMs: effectOf(outcome) === 'acted' ? 0 : lateUntilMs } as const",
  },
  {
    name: 'a failure in doubt does not send the newest stock again',
    file: 'agent/orders/order-reports.ts',
    from: '    if (isInDoubt) await this.#sendNewestAgain(itemRef, newest)\n    else await',
    to: '    await',
  },
  {
    name: 'the stock that an earlier order of an item has left is found by the next one',
    file: 'agent/orders/sqlite-order-ledger.ts',
    from: 'forget.run(order.itemRef)',
    to: '',
  },
]
