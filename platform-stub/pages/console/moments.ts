import { html } from 'hono/html'
import { iso } from '../../clock/iso.ts'
import { relative, stamp } from '../browser/durations.js'
import type { Html } from '../document.ts'

/** A moment in UTC for people. */
export function stampOf(atMs: number): Html {
  return html`<time datetime="${iso(atMs)}" title="${iso(atMs)}">${stamp(atMs)}</time>`
}

/** The distance of a moment from now: `in 12 s`, `3 min ago`. The page's script updates it. */
export function relativeTo(atMs: number, nowMs: number): Html {
  return html`<time datetime="${iso(atMs)}" title="${iso(atMs)}" data-shows="relative">${relative(atMs, nowMs)}</time>`
}
