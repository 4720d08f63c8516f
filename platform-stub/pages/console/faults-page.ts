import { html } from 'hono/html'
import { webhookEvents } from '../../../contract/events.ts'
import type { PartnerFault } from '../../faults/partner-fault.ts'
import type { WebhookFault } from '../../faults/webhook-fault.ts'
import { platformOperationNames } from '../../marketplace/platform-operations.ts'
import type { Html } from '../document.ts'
import { badge, icon } from '../parts.ts'
import type { Texts } from '../texts/en.ts'
import { actForm, field } from './acts.ts'
import type { ConsolePage, ConsoleParts } from './console-parts.ts'
import { consoleRowsMax, emptyState } from './list.ts'

/** The numbers that kinds of faults have, with their first values. */
const numbers = { status: '503', retryAfterSeconds: '', delayMs: '3000', copies: '1', times: '1' } as const

/** The numbers of its own that each kind of fault has. */
type Kinds<Kind extends string> = Readonly<Record<Kind, readonly (keyof typeof numbers)[]>>

const partnerKinds: Kinds<PartnerFault['kind']> = {
  status: ['status', 'retryAfterSeconds'],
  delay: ['delayMs'],
  'hang-up-before': [],
  'hang-up-after': [],
  truncate: [],
}

const webhookKinds: Kinds<WebhookFault['kind']> = {
  duplicate: ['copies'],
  reorder: [],
  'wrong-kid': [],
  expired: [],
  'altered-body': [],
  delay: ['delayMs'],
  'drop-response': [],
}

/** How many of the faults that are set a page names, of each side. */
const setFaultsShown = 5

/** The faults that can be set, and those that are set. */
export function faultsPage({ t, faults }: ConsoleParts): ConsolePage {
  const texts = t.faults
  const requests: Side = {
    name: texts.requests,
    id: 'faults',
    set: faults.partner.newest(consoleRowsMax),
    kinds: partnerKinds,
    does: texts.ofRequests,
    target: select(t, 'operation', platformOperationNames),
  }
  const webhooks: Side = {
    name: texts.webhooks,
    id: 'webhook-faults',
    set: faults.webhook.newest(consoleRowsMax),
    kinds: webhookKinds,
    does: texts.ofWebhooks,
    target: select(t, 'event', Object.keys(webhookEvents)),
  }
  return {
    title: t.menu['/console/faults'],
    content: html`
      <h1>${t.menu['/console/faults']}</h1>
      <p class="soft">${texts.about}</p>
      <div class="split">${sideOf(t, requests)}${sideOf(t, webhooks)}</div>`,
  }
}

/** Requests, or webhooks. */
interface Side {
  readonly name: string
  readonly id: string
  readonly set: readonly SetFault[]
  readonly kinds: Kinds<string>
  /** What each kind does. */
  readonly does: Readonly<Record<string, string>>
  readonly target: Html
}

interface SetFault {
  readonly id: number
  readonly kind: string
  readonly times: number
  readonly operation?: string | undefined
  readonly event?: string | undefined
}

function sideOf(t: Texts, { name, id, set, kinds, does, target }: Side): Html {
  const path = `/stub/${id}`
  const fields = html`
    <fieldset><legend>${t.faults.whatHappens}</legend>${Object.entries(kinds).map(([kind, own], at) => kindChoice(t, kind, does[kind], own, at === 0))}</fieldset>
    <div class="fields">${target}${numberField(t, 'times')}</div>`
  return html`<section aria-labelledby="${id}">
    <h2 id="${id}">${name}</h2>
    <div class="card pad">${actForm({ method: 'POST', path, label: t.faults.set, button: 'first', className: 'stack', fields })}</div>
    ${
      set.length === 0
        ? emptyState(t.faults.none, t.faults.allWorks)
        : html`<div class="card pad stack"><ul class="list">${set.map((fault) => setFault(t, fault))}</ul>${actForm({ method: 'DELETE', path, label: t.faults.clear })}</div>`
    }
  </section>`
}

function kindChoice(
  t: Texts,
  kind: string,
  does: string | undefined,
  own: Kinds<string>[string],
  isFirst: boolean,
): Html {
  return html`<div class="kind">
    <label><input type="radio" name="kind" value="${kind}" ${isFirst ? html`checked` : ''}> <span><code>${kind}</code> <span class="soft">${does}</span></span></label>
    ${own.length > 0 ? html`<div class="fields">${own.map((name) => numberField(t, name))}</div>` : ''}
  </div>`
}

function numberField(t: Texts, name: keyof typeof numbers): Html {
  return field(t.faults.numbers[name], html`name="${name}" type="number" min="0" value="${numbers[name]}"`)
}

function select({ faults }: Texts, name: 'operation' | 'event', options: readonly string[]): Html {
  return html`<label class="field"><span>${faults[name]}</span><select name="${name}"><option value="">${faults.any}</option>${options.map((option) => html`<option>${option}</option>`)}</select></label>`
}

/**
 * The faults that are set, for every page: what they change looks like a bug to a person who does not know about them.
 */
export function faultsNotice({ t, faults }: ConsoleParts): Html | string {
  const sides: readonly (readonly [name: string, set: readonly SetFault[]])[] = [
    [t.faults.requests, faults.partner.newest(setFaultsShown)],
    [t.faults.webhooks, faults.webhook.newest(setFaultsShown)],
  ]
  if (sides.every(([, set]) => set.length === 0)) return ''
  const lines = sides.flatMap(([name, set]) => set.map((fault) => setFault(t, fault, name)))
  return html`<section class="notice argued" aria-label="${t.faults.areSet}">${icon('alert')}<strong><a href="/console/faults">${t.faults.areSet}</a></strong><ul>${lines}</ul></section>`
}

function setFault({ faults: texts }: Texts, fault: SetFault, side = ''): Html {
  const { id: _, kind, times, operation, event, ...rest } = fault
  const target = operation ?? event
  const numbers = Object.entries(rest).map(([name, value]) => `${name} ${value}`)
  return html`<li>${badge('argued', kind)} <strong>${times} ×</strong> ${side} ${target ? html`<code>${target}</code>` : texts.any} <span class="soft">${numbers.join(', ')}</span></li>`
}
