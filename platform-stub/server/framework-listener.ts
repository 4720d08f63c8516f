import type { Hono } from 'hono'
import type { StubEnv } from '../developer/control/control-parts.ts'
import { lazily } from '../pages/lazily.ts'
import type { Listener } from './http-server.ts'

/**
 * Hands requests to the framework. The app and the framework's server package are loaded with the first of them: a stub
 * whose partners alone ask starts without pages, and without Node's built-in fetch, which the package brings along.
 */
export function frameworkListener(loadApp: () => Promise<Hono<StubEnv>>): Listener {
  const loaded = lazily(async (): Promise<Listener> => {
    const [app, { getRequestListener }] = await Promise.all([loadApp(), import('@hono/node-server')])
    return getRequestListener(app.fetch, { overrideGlobalObjects: false })
  })
  return async (incoming, response) => {
    const listener = await loaded()
    listener(incoming, response)
  }
}
