import type { Context } from 'hono'
import { every } from 'hono/combine'
import { setCookie } from 'hono/cookie'
import { createMiddleware } from 'hono/factory'
import { html } from 'hono/html'
import { languageDetector } from 'hono/language'
import type { Html } from '../document.ts'
import { en, type Texts } from './en.ts'
import { pt } from './pt.ts'

const catalogues = { en, pt }
const parameter = 'lang'
const cookie = 'platform-stub-language'
const cookieOptions = { sameSite: 'Lax', httpOnly: true, maxAge: 31_536_000 } as const

/** Chosen by the switch, else by the browser's languages, else English. */
const detect = languageDetector({
  supportedLanguages: Object.keys(catalogues),
  fallbackLanguage: 'en',
  lookupQueryString: parameter,
  lookupCookie: cookie,
  caches: false,
})

/** What the switch chose leaves the address, so that links, forms and updates of a page need not carry it. */
const remember = createMiddleware(async (context, next) => {
  const url = new URL(context.req.url)
  if (!url.searchParams.has(parameter)) return next()
  url.searchParams.delete(parameter)
  setCookie(context, cookie, context.get('language'), cookieOptions)
  return context.redirect(url.pathname + url.search, 302)
})

/** Gives each page its language. A page switches by a link to itself, with the parameter `lang`. */
export const chooseLanguage = every(detect, remember)

/** The texts in the language of a request. */
export function textsOf(context: Context): Texts {
  return catalogues[context.get('language') as keyof typeof catalogues]
}

/** The link to the same page in the other language. */
export function languageSwitch(context: Context, { otherLanguage: { lang, name } }: Texts): Html {
  const { pathname, searchParams } = new URL(context.req.url)
  searchParams.set(parameter, lang)
  return html`<a class="button small plain" href="${pathname}?${searchParams}" lang="${lang}" hreflang="${lang}">${name}</a>`
}
