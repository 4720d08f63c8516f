import { limits } from '../../../../contract/limits.ts'

/** How long the agent remembers an answer at least: less what a clock may drift. */
export const idWindowMs = limits.idempotencyWindowMs - 1_000
