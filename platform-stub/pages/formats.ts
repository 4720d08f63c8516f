import { html } from 'hono/html'
import { readStrictJson } from '../../contract/strict-json.ts'
import { iso } from '../clock/iso.ts'
import { relative, stamp } from './browser/moments.js'
import type { Html, Lang } from './document.ts'
import { lazily } from './lazily.ts'

/** Buyers and players read Brazil's time, on every machine. */
const timeZone = 'America/Sao_Paulo'
const hour = lazily(() => new Intl.DateTimeFormat('pt-BR', { timeStyle: 'short', timeZone }))
const dayAndHour = lazily(() => new Intl.DateTimeFormat('pt-BR', { dateStyle: 'short', timeStyle: 'short', timeZone }))
const reais = {
  en: lazily(() => new Intl.NumberFormat('en', { style: 'currency', currency: 'BRL' })),
  'pt-BR': lazily(() => new Intl.NumberFormat('pt-BR', { style: 'currency', currency: 'BRL' })),
} satisfies Record<Lang, unknown>

/** A moment of the last or next hours, in Brazil: `14:32`. The title has the day. */
export function shortMoment(atMs: number): Html {
  return html`<time datetime="${iso(atMs)}" title="${dayAndHour().format(atMs)}">${hour().format(atMs)}</time>`
}

/** A moment for developers: in UTC until the page's script writes it in the zone that the reader chose. */
export function stampOf(atMs: number, lang: Lang): Html {
  return html`<time datetime="${iso(atMs)}" title="${iso(atMs)}" data-shows="moment">${stamp(atMs, lang, 'UTC')}</time>`
}

/** The distance of a moment from now: `in 12s`, `3m ago`. The page's script updates it. */
export function relativeTo(atMs: number, nowMs: number, lang: Lang): Html {
  return html`<time datetime="${iso(atMs)}" title="${iso(atMs)}" data-shows="relative">${relative(atMs, nowMs, lang)}</time>`
}

/** Cents as people read them: `R$ 1.234,56`. Exact for every amount that a listing can have. */
export function inReais(cents: number, lang: Lang): string {
  return reais[lang]().format(decimalOf(cents))
}

/** Cents as a decimal with a point and two places: `1234.56`. */
function decimalOf(cents: number): `${number}` {
  return `${Math.trunc(cents / 100)}.${String(cents % 100).padStart(2, '0')}` as `${number}`
}

/**
 * A JSON object with a line for each field. Any other text stays as it is: one that says more than its values (a number
 * beyond 2^53, a name twice), and one that would become many times as long.
 */
export function prettyJson(text: string): string {
  const reading = readStrictJson(text)
  if (!reading.ok) return text
  const { value } = reading.object
  // Searched only now that every string in it is known to end: in any other text this takes quadratic time.
  const withoutSpace = text.replace(/("(?:[^"\\]|\\.)*")|\s+/g, '$1')
  if (JSON.stringify(value) !== withoutSpace) return text
  const pretty = JSON.stringify(value, null, 2)
  return pretty.length > prettyFactorMax * text.length ? text : pretty
}

/** A text in a list: what a stranger named may be 60 KB, and a list has fifty of it. The page of the thing has all of it. */
export function inBrief(text: string): string {
  return text.length > briefLengthMax ? `${text.slice(0, briefLengthMax)}…` : text
}

/** Longer than any name that a game gives. */
const briefLengthMax = 255

/** The indentation of lists within lists is longer than they are. */
const prettyFactorMax = 4
