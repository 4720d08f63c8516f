import { Hono } from 'hono'
import type { StubEnv } from '../control/request.ts'
import { pageResponse } from '../pages/document.ts'
import type { Platform } from '../platform.ts'
import { openApiDocument } from './document.ts'
import { referencePage } from './reference-page.ts'

/**
 * The document at `/openapi.json`, and for people at `/docs`. Made when somebody asks: a stub that nobody asks starts no
 * later for it.
 */
export function openApiRoutes(platform: Platform): Hono<StubEnv> {
  const document = () => openApiDocument(platform.publicUrl())
  return new Hono<StubEnv>()
    .get('/openapi.json', (context) => context.json(document()))
    .get('/docs', (context) => pageResponse(context, 200, referencePage(document())))
}
