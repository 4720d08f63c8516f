import { html } from 'hono/html'
import { assetUrl } from './assets.ts'
import type { Html } from './document.ts'
import { inBrief } from './formats.ts'
import type { Texts } from './texts/en.ts'

/** Outlines on a grid of 24, drawn with the text's colour. */
const outlines = {
  check: 'M5 12.5l4.5 4.5L19 7.5',
  cross: 'M6.5 6.5l11 11M17.5 6.5l-11 11',
  clock: 'M12 7v5.2l3.4 2M12 3.5a8.5 8.5 0 1 0 0 17a8.5 8.5 0 0 0 0-17z',
  alert: 'M12 8.5v4.5M12 16.4v.1M10.3 4.6L3 17.2A2 2 0 0 0 4.7 20.2h14.6A2 2 0 0 0 21 17.2L13.7 4.6a2 2 0 0 0-3.4 0z',
  back: 'M9 7L4.5 11.5L9 16M5 11.5h9a5.5 5.5 0 0 1 0 11h-1',
  box: 'M4 8.2l8-4.2l8 4.2v7.6l-8 4.2l-8-4.2zM4 8.2l8 4.3l8-4.3M12 12.5V20',
  link: 'M9.5 14.5l5-5M8.5 11.5l-2 2a3.5 3.5 0 0 0 5 5l2-2M15.5 12.5l2-2a3.5 3.5 0 0 0-5-5l-2 2',
  scales: 'M12 4v16M8 20h8M5 7h14M5 7l-2.5 6h5zM19 7l-2.5 6h5z',
  copy: 'M9 9h10.5v10.5H9zM5.5 15h-1V4.5H15v1',
  user: 'M12 4.5a3.7 3.7 0 1 0 0 7.4a3.7 3.7 0 0 0 0-7.4zM4.8 20a7.2 7.2 0 0 1 14.4 0',
  shield: 'M12 3.5l7 2.8v5.2c0 4.4-2.9 7.6-7 9c-4.1-1.4-7-4.6-7-9V6.3z',
} as const

/** The name of a picture. */
export type IconName = keyof typeof outlines

/** A picture next to words that say the same, so it is hidden from screen readers. */
export function icon(name: IconName): Html {
  return html`<svg class="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false"><path d="${outlines[name]}"/></svg>`
}

/** The logo of the stub. */
export function mark(): Html {
  return html`<img src="${assetUrl('icon.svg')}" alt="" width="27" height="27">`
}

/** What a value of a page may be; null and undefined for one that is not there. */
type Value = Html | string | number | null | undefined

/** A word on the colour of a tone. */
export function badge(tone: string, text: Value): Html {
  return html`<span class="badge ${tone}">${text}</span>`
}

/** Names and values. A value that is not there is left out with its name. */
export function pairs(values: Readonly<Record<string, Value>>): Html {
  const known = Object.entries(values).filter(([, value]) => value !== null && value !== undefined)
  return html`<dl class="pairs">${known.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`
}

/** The head of a request or an answer. */
export function headerList(headers: readonly (readonly [name: string, value: string])[]): Html {
  const lines = headers.map(
    ([name, value]) => html`<div><dt><code>${name}</code></dt><dd><code>${value}</code></dd></div>`,
  )
  return html`<dl class="pairs headers">${lines}</dl>`
}

/** A part of a page with a heading and a frame. @param id Unique on the page. */
export function card(id: string, heading: string, content: Value, className = 'pad'): Html {
  return html`<section class="card ${className}" aria-labelledby="${id}"><h2 id="${id}">${heading}</h2>${content}</section>`
}

/** A notice. @param role `alert` for the result of an act of the reader, `status` for a state. */
export function notice(
  tone: string,
  picture: IconName,
  { title, text }: { readonly title: string; readonly text: string },
  role?: 'alert' | 'status',
): Html {
  return html`<div class="notice ${tone}" ${role ? html`role="${role}"` : ''}>${icon(picture)}<strong>${title}</strong><p>${text}</p></div>`
}

/** Lines for a shell, or another text to take elsewhere, with a button that copies them. */
export function codeBlock({ common }: Texts, text: string): Html {
  return html`<div class="code-block"><pre tabindex="0">${text}</pre>${copyButton(common)}</div>`
}

/** @param source The id of the element whose text is copied; the one before the button if it is left out. */
export function copyButton(common: Texts['common'], source = ''): Html {
  return html`<button type="button" class="button small" data-copies="${source}" data-done="${common.copied}" data-selected="${common.selected}">${common.copy}</button>`
}

/** As `copyable`, in a list. A text that is cut there is not copied there. */
export function copyableInBrief(t: Texts, name: string, text: string): Html {
  const brief = inBrief(text)
  return brief === text ? copyable(t, name, text) : html`<code class="wrap">${brief}</code>`
}

/**
 * A value with a button that copies it.
 *
 * @param name What it is, for screen readers.
 */
export function copyable({ common }: Texts, name: string, value: Html | string | number): Html {
  return html`<span class="copyable"><code class="wrap">${value}</code><button type="button" class="copy" data-copies data-done="${common.copied}" data-selected="${common.selected}">${icon('copy')}<span class="hidden-text">${common.copyNamed(name)}</span></button></span>`
}
