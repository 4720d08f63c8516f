import { Hono } from 'hono'
import type * as z from 'zod/mini'
import { clearFaults, type FaultsOf } from '../../faults/faults.ts'
import { partnerFault } from '../../faults/partner-fault.ts'
import { webhookFault } from '../../faults/webhook-fault.ts'
import { orThrow } from '../../marketplace/refusal.ts'
import type { ControlParts, StubEnv } from './control-parts.ts'
import { bodyOf, limitOf, noFields } from './control-request.ts'

/** Faults on partner routes. */
export function partnerFaultRoutes({ faults }: ControlParts): Hono<StubEnv> {
  return faultRoutes(faults.partner, partnerFault, () => clearFaults(faults.partner))
}

/** Faults on outgoing webhooks. Without them nothing is held back any more. */
export function webhookFaultRoutes({ faults, platform }: ControlParts): Hono<StubEnv> {
  return faultRoutes(faults.webhook, webhookFault, () => {
    clearFaults(faults.webhook)
    orThrow(platform.transact(() => platform.tables.webhooks.releaseAllHeld()))
  })
}

function faultRoutes<Schema extends z.ZodMiniType<{ readonly times: number }>>(
  { queue }: FaultsOf<z.infer<Schema>>,
  schema: Schema,
  clear: () => void,
): Hono<StubEnv> {
  return new Hono<StubEnv>()
    .get('/', (context) => context.json({ data: queue.newest(limitOf(context)) }))
    .post('/', async (context) => context.json({ data: queue.add(await bodyOf(context, schema)) }))
    .delete('/', async (context) => {
      await bodyOf(context, noFields)
      clear()
      return context.body(null, 200)
    })
}
