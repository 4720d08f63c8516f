import type { AttemptResult } from '../../../../agent/platform/attempt-result.ts'
import { startOfRunMs } from '../../host-clock.ts'
import { platformTimeErrorMsMax } from './platform-time.ts'

/** Answers whose `Retry-After` counts. */
const waiting: ReadonlySet<number> = new Set([429, 503])
const inSeconds = /^\d+$/

/** The wait that an answer asks for in seconds, in ms; 0 without one. */
export function askedWaitMs(result: AttemptResult): number {
  const header = headerOf(result)
  return inSeconds.test(header) ? Number(header) * 1_000 : 0
}

/** The shortest wait until the date that an answer asks for, in ms, by an agent that has heard the platform. */
export function askedDateWaitMs(result: AttemptResult, nowMs: number): number {
  const dateMs = Date.parse(headerOf(result))
  return Number.isNaN(dateMs) ? 0 : Math.max(0, dateMs - startOfRunMs - nowMs - platformTimeErrorMsMax)
}

/** Whether an answer asks for a wait until a date: an agent whose clock is wrong may wait for long. */
export function isAskedToWaitUntil(result: AttemptResult): boolean {
  const header = headerOf(result)
  return !inSeconds.test(header) && !Number.isNaN(Date.parse(header))
}

function headerOf(result: AttemptResult): string {
  return result.kind === 'answered' && waiting.has(result.status) ? (result.retryAfter ?? '') : ''
}
