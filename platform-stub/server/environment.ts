import type { HttpBindings } from '@hono/node-server'

/** The environment of every route that the framework serves. */
export interface StubEnv {
  Bindings: HttpBindings
}
