import { Hono } from 'hono'
import type { StubEnv } from '../developer/control/control-parts.ts'
import type { Platform } from '../marketplace/platform.ts'
import { pageResponse } from '../pages/document.ts'
import { chooseLanguage, languageSwitch, textsOf } from '../pages/texts/language.ts'

/**
 * The document at `/openapi.json`, and for people at `/docs`. It is loaded at the first request, so that the start does
 * not wait for it.
 */
export function openApiRoutes(platform: Platform): Hono<StubEnv> {
  const document = async () => (await import('./openapi-document.ts')).openApiDocument(platform.publicUrl())
  return new Hono<StubEnv>()
    .get('/openapi.json', async (context) => context.json(await document()))
    .get('/docs', chooseLanguage, async (context) => {
      const { referencePage } = await import('./reference-page.ts')
      const t = textsOf(context)
      return pageResponse(context, 200, referencePage(t, await document(), languageSwitch(context, t)))
    })
}
