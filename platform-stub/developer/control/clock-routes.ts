import { Hono } from 'hono'
import * as z from 'zod/mini'
import type { Destination } from '../../clock/due-work.ts'
import { isMoment, iso, momentMsOf } from '../../clock/iso.ts'
import { refuse } from '../../marketplace/refusal.ts'
import type { ControlParts, StubEnv } from './control-parts.ts'
import { bodyOf } from './control-request.ts'

/** Read by hand: the general words for a wrong field would ask for a whole number, and parts of a second are taken. */
const journey = z.looseObject({ now: z.optional(z.unknown()), advanceSeconds: z.optional(z.unknown()) })

/** Time travel. The answer to a change comes when everything that came due on the way is done. */
export function clockRoutes({ clock, dueWork }: ControlParts): Hono<StubEnv> {
  const state = () => ({ data: { now: iso(clock.nowMs()), travelling: clock.offsetMs !== 0 } })
  return new Hono<StubEnv>()
    .get('/', (context) => context.json(state()))
    .put('/', async (context) => {
      await dueWork.travel(destinationOf(await bodyOf(context, journey), clock.nowMs()))
      return context.json(state())
    })
    .delete('/', async (context) => {
      await dueWork.travel('real')
      return context.json(state())
    })
}

function destinationOf({ now, advanceSeconds }: z.infer<typeof journey>, presentMs: number): Destination {
  if ((now === undefined) === (advanceSeconds === undefined)) throw refuse('CLOCK_TARGET_UNFIT')
  if (advanceSeconds !== undefined) {
    if (typeof advanceSeconds !== 'number' || !isMoment(presentMs + advanceSeconds * 1_000))
      throw refuse('CLOCK_TARGET_UNFIT')
    return { momentMs: (nowMs) => nowMs + advanceSeconds * 1_000 }
  }
  const momentMs = typeof now === 'string' ? momentMsOf(now) : undefined
  if (momentMs === undefined) throw refuse('CLOCK_TARGET_UNFIT')
  return { momentMs: () => momentMs }
}
