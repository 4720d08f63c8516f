import { html } from 'hono/html'
import type { Html } from '../document.ts'

/** A control route as a button. */
export interface Act {
  readonly method: 'POST' | 'PUT' | 'DELETE'
  /** `{field}` is replaced with the form's field of that name. */
  readonly path: string
  /** The button's text; unique among the acts with the same path. */
  readonly label: string
  /** Sent in addition to the fields. */
  readonly body?: Readonly<Record<string, unknown>>
  /** Inputs, named as the fields of the body. Empty inputs are left out. Typed text survives updates until it is sent. */
  readonly fields?: Html
  readonly className?: string
  readonly button?: string
  readonly isPressed?: boolean
  /** Asked before it is sent. */
  readonly question?: string
  /** The next page; `{field}` is replaced with a field of the answer's data. */
  readonly goesTo?: string
}

/**
 * A form that calls a control route. A script can therefore do everything that the console does. The page's script sends
 * it, and shows the same request as a line for curl.
 */
export function actForm(act: Act): Html {
  const { method, path, label, body = {}, fields, className = '', button = '', question = '', goesTo = '' } = act
  const pressed = act.isPressed === undefined ? '' : html`aria-pressed="${String(act.isPressed)}"`
  // The id keeps an update from turning this button into another one under the pointer.
  const id = `act-${method}-${path}-${label}`.replaceAll(/\s+/g, '-')
  return html`<form id="${id}" class="act ${className}" method="post" action="${path}" data-act="${method}" data-body="${JSON.stringify(body)}" data-question="${question}" data-path="${path}" data-goes-to="${goesTo}" ${fields ? html`data-kept` : ''}>${fields}<button class="button small ${button}" ${pressed}>${label}</button></form>`
}

/** A labelled input of a form. @param attributes Of the input, `name` at least. */
export function field(label: string, attributes: Html): Html {
  return html`<label class="field"><span>${label}</span><input ${attributes}></label>`
}
