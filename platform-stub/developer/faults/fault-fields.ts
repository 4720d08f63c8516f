import * as z from 'zod/mini'
import { stubLimits } from '../../server/stub-limits.ts'

/** How often a fault happens before it is gone. */
export const times = z._default(z.int().check(z.gte(1)), 1)

/** Real waiting, which no travel of the clock shortens. */
export const delayMs = z.int().check(z.gte(1), z.lte(stubLimits.faultDelayMsMax))
