import { Hono } from 'hono'
import { pageResponse } from '../pages/document.ts'
import type { Platform } from '../platform.ts'
import type { StubEnv } from '../web/environment.ts'

/**
 * The document at `/openapi.json`, and for people at `/docs`. Loaded and made when somebody asks: a stub that nobody asks
 * starts no later for it.
 */
export function openApiRoutes(platform: Platform): Hono<StubEnv> {
  const document = async () => (await import('./document.ts')).openApiDocument(platform.publicUrl())
  return new Hono<StubEnv>()
    .get('/openapi.json', async (context) => context.json(await document()))
    .get('/docs', async (context) => {
      const { referencePage } = await import('./reference-page.ts')
      return pageResponse(context, 200, referencePage(await document()))
    })
}
