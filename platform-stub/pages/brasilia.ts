import { html } from 'hono/html'
import { iso } from '../clock/iso.ts'
import type { Html } from './document.ts'
import { lazily } from './lazily.ts'

/** Buyers and players read Brazil's time, on every machine. */
const timeZone = 'America/Sao_Paulo'
const hour = lazily(() => new Intl.DateTimeFormat('pt-BR', { timeStyle: 'short', timeZone }))
const dayAndHour = lazily(() => new Intl.DateTimeFormat('pt-BR', { dateStyle: 'short', timeStyle: 'short', timeZone }))

/** A moment of the last or next hours: `14:32`. The title has the day. */
export function shortMoment(atMs: number): Html {
  return html`<time datetime="${iso(atMs)}" title="${dayAndHour().format(atMs)}">${hour().format(atMs)}</time>`
}
