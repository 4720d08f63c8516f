import { Hono } from 'hono'
import type { StubEnv } from '../http/framework.ts'
import type { Platform } from '../marketplace/platform.ts'

/** The document at `/openapi.json`. It is loaded at the first request, so that the start does not wait for it. */
export function openApiRoutes(platform: Platform): Hono<StubEnv> {
  return new Hono<StubEnv>().get('/openapi.json', async (context) => {
    const { openApiDocument } = await import('./openapi-document.ts')
    return context.json(openApiDocument(platform.publicUrl()))
  })
}
