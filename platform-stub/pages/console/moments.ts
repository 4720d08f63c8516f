import { html } from 'hono/html'
import { iso } from '../../clock/iso.ts'
import { relative } from '../browser/durations.js'
import type { Html } from '../document.ts'
import { lazily } from '../lazily.ts'

const stamp = lazily(
  () =>
    new Intl.DateTimeFormat('en-GB', {
      day: '2-digit',
      month: 'short',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
      timeZone: 'UTC',
    }),
)

/** A moment in UTC for people: `21 Nov, 15:13:42`. The page's script writes it the same way. */
export function stampText(atMs: number): string {
  return stamp().format(atMs)
}

/** The same as a `<time>` element. */
export function stampOf(atMs: number): Html {
  return html`<time datetime="${iso(atMs)}" title="${iso(atMs)}">${stampText(atMs)}</time>`
}

/** The distance of a moment from now: `in 12 s`, `3 min ago`. The page's script updates it. */
export function relativeTo(atMs: number, nowMs: number): Html {
  return html`<time datetime="${iso(atMs)}" title="${iso(atMs)}" data-shows="relative">${relative(atMs, nowMs)}</time>`
}
