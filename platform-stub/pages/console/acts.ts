import { html } from 'hono/html'
import type { Html } from '../document.ts'

/** A control route as a button. */
export interface Act {
  readonly method: 'POST' | 'PUT' | 'DELETE'
  /** `{field}` is filled from the form's field of that name. */
  readonly path: string
  /** What the button says; another one on the same path says something else. */
  readonly label: string
  /** Sent beside the fields. */
  readonly body?: Readonly<Record<string, unknown>>
  /** Inputs; their names are the body's. `data-type` of one says `number` or `boolean`; empty ones are left out. */
  readonly fields?: Html
  readonly className?: string
  readonly button?: string
  readonly isPressed?: boolean
  /** Asked before. */
  readonly question?: string
  /** Where the page goes afterwards; `{field}` is filled from the answer's data. */
  readonly goesTo?: string
  /** What somebody types into it outlives updates of the page until it is sent. */
  readonly isKept?: boolean
}

/**
 * A form that calls a control route the way an integrator would, so that everything the console does can be done
 * without it. The page's script sends it, and shows the same as a line for curl.
 */
export function actForm(act: Act): Html {
  const { method, path, label, body = {}, fields = '', className = '', button = '', question = '', goesTo = '' } = act
  const kept = act.isKept ? html`data-kept` : ''
  const pressed = act.isPressed === undefined ? '' : html`aria-pressed="${String(act.isPressed)}"`
  // With a name of its own an update makes no other act of a button that somebody is about to press.
  const id = `act-${method}-${path}-${label}`.replaceAll(/\s+/g, '-')
  return html`<form id="${id}" class="act ${className}" method="post" action="${path}" data-act="${method}" data-body="${JSON.stringify(body)}" data-question="${question}" data-path="${path}" data-goes-to="${goesTo}" ${kept}>${fields}<button class="button small ${button}" ${pressed}>${label}</button></form>`
}
