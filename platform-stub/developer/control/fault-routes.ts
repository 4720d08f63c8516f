import { Hono } from 'hono'
import type * as z from 'zod/mini'
import type { FaultsOf } from '../../faults/faults.ts'
import { partnerFault } from '../../faults/partner-fault.ts'
import { webhookFault } from '../../faults/webhook-fault.ts'
import type { StubEnv } from '../../http/framework.ts'
import { orThrow } from '../../marketplace/refusal.ts'
import type { ControlParts } from './control-parts.ts'
import { bodyOf, limitOf, noFields } from './control-request.ts'

/** Faults on partner routes. */
export function partnerFaultRoutes({ faults }: ControlParts): Hono<StubEnv> {
  return faultRoutes(faults.partner, partnerFault, () => undefined)
}

/** Faults on outgoing webhooks. Without them nothing is held back any more. */
export function webhookFaultRoutes({ faults, platform }: ControlParts): Hono<StubEnv> {
  return faultRoutes(faults.webhook, webhookFault, () => {
    orThrow(platform.transact(() => platform.tables.webhooks.releaseAllHeld()))
  })
}

function faultRoutes<Schema extends z.ZodMiniType<{ readonly times: number }>>(
  faults: FaultsOf<z.infer<Schema>>,
  schema: Schema,
  onCleared: () => void,
): Hono<StubEnv> {
  return new Hono<StubEnv>()
    .get('/', (context) => context.json({ data: faults.newest(limitOf(context)) }))
    .post('/', async (context) => context.json({ data: faults.add(await bodyOf(context, schema)) }))
    .delete('/', async (context) => {
      await bodyOf(context, noFields)
      faults.clear()
      onCleared()
      return context.body(null, 200)
    })
}
