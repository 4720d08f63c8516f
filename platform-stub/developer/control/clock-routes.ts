import { Hono } from 'hono'
import * as z from 'zod/mini'
import { isMoment, iso, momentMsOf } from '../../clock/iso.ts'
import type { Schedule, Target } from '../../clock/schedule.ts'
import type { StubEnv } from '../../http/framework.ts'
import { refuse } from '../../marketplace/refusal.ts'
import type { ControlParts } from './control-parts.ts'
import { bodyOf, noFields, noQuery } from './control-request.ts'

/** Read by hand: the general words for a wrong field would ask for a whole number, and parts of a second are taken. */
const clockJump = z.strictObject({ now: z.optional(z.unknown()), advanceSeconds: z.optional(z.unknown()) })

/** Time travel. The answer to a change comes when everything that came due on the way is done. */
export function clockRoutes({ clock, schedule }: ControlParts): Hono<StubEnv> {
  const state = () => ({ data: { now: iso(clock.nowMs()), travelling: clock.offsetMs !== 0 } })
  return new Hono<StubEnv>()
    .get('/', (context) => {
      noQuery(context)
      return context.json(state())
    })
    .put('/', async (context) => {
      await travel(schedule, targetOf(await bodyOf(context, clockJump), clock.nowMs()))
      return context.json(state())
    })
    .delete('/', async (context) => {
      await bodyOf(context, noFields)
      if (!(await schedule.goHome())) throw refuse('STORE_FULL')
      return context.json(state())
    })
}

/** @throws {Refusal} */
async function travel(schedule: Schedule, target: Target): Promise<void> {
  const { end, atMs } = await schedule.travel(target)
  if (end === 'broken-off') throw refuse('CLOCK_JUMP_BROKEN_OFF', { now: iso(atMs) })
  if (end === 'out-of-range') throw refuse('CLOCK_TARGET_INVALID')
  if (end === 'store-refused') throw refuse('STORE_FULL')
}

function targetOf({ now, advanceSeconds }: z.infer<typeof clockJump>, presentMs: number): Target {
  if ((now === undefined) === (advanceSeconds === undefined)) throw refuse('CLOCK_TARGET_INVALID')
  if (advanceSeconds !== undefined) {
    if (typeof advanceSeconds !== 'number' || !isMoment(presentMs + advanceSeconds * 1_000))
      throw refuse('CLOCK_TARGET_INVALID')
    return (nowMs) => nowMs + advanceSeconds * 1_000
  }
  const momentMs = typeof now === 'string' ? momentMsOf(now) : undefined
  if (momentMs === undefined) throw refuse('CLOCK_TARGET_INVALID')
  return () => momentMs
}
