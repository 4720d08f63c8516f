import { Hono } from 'hono'
import type { StubEnv } from '../../server/environment.ts'
import type { ControlParts } from './control-parts.ts'

/** The key that the platform signs its webhooks with, private half included: for those who forge them on purpose. */
export function platformKeyRoutes({ platformKey }: ControlParts): Hono<StubEnv> {
  return new Hono<StubEnv>().get('/', async (context) => {
    const { kid, privateKeyPem, publicKeyPem } = await platformKey()
    return context.json({ data: { kid, privateKeyPem, publicKeyPem } })
  })
}
