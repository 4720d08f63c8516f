import { Hono } from 'hono'
import * as z from 'zod/mini'
import { name } from '../../../contract/fields.ts'
import type { StubEnv } from '../../http/framework.ts'
import type { ControlParts } from './control-parts.ts'
import { bodyOf } from './control-request.ts'

const address = z.url({ protocol: /^https?$/ })
const agentBeside = z.strictObject({ url: address, spoolDir: z.optional(name), forwardUrl: z.optional(address) })

/** Which agent runs next to the stub: the console's first sale then names it and asks for no other one. */
export function agentRoutes({ agentNote }: ControlParts): Hono<StubEnv> {
  return new Hono<StubEnv>().put('/', async (context) => {
    const { url, spoolDir = null, forwardUrl = null } = await bodyOf(context, agentBeside)
    agentNote.write({ url: new URL(url).origin, spoolDir, forwardUrl })
    return context.body(null, 200)
  })
}
