import { html } from 'hono/html'
import { webhookEvents } from '../../../contract/events.ts'
import type { PartnerFault } from '../../faults/partner-fault.ts'
import type { WebhookFault } from '../../faults/webhook-fault.ts'
import { platformOperationNames } from '../../marketplace/platform-operations.ts'
import { stubLimits } from '../../store/stub-limits.ts'
import type { Html } from '../document.ts'
import { badge } from '../parts.ts'
import { actForm, field } from './acts.ts'
import type { ConsolePage, ConsoleParts } from './console-parts.ts'
import { emptyState } from './list.ts'

/** The numbers that kinds of faults have: label and first value. */
const numbers = {
  status: ['Status', '503'],
  retryAfterSeconds: ['Retry-After, s', ''],
  delayMs: ['Delay, ms', '3000'],
  copies: ['Copies', '1'],
  times: ['Times', '1'],
} as const

/** Each kind of fault: what it does, and the numbers of its own. */
type Kinds<Kind extends string> = Readonly<Record<Kind, readonly [does: string, ...own: (keyof typeof numbers)[]]>>

const partnerKinds: Kinds<PartnerFault['kind']> = {
  status: ['the request is answered with this status; nothing is done', 'status', 'retryAfterSeconds'],
  delay: ['the request is processed later', 'delayMs'],
  'hang-up-before': ['the connection is closed; nothing is done'],
  'hang-up-after': ['the request is done, then the connection is closed without an answer'],
  truncate: ['the request is done; half of the answer is sent'],
}

const webhookKinds: Kinds<WebhookFault['kind']> = {
  duplicate: ['several copies are sent at once', 'copies'],
  reorder: ['a transfer_order is sent after its transaction_terminal'],
  'wrong-kid': ['signed with an unknown kid'],
  expired: ['signed with an exp in the past'],
  'altered-body': ['the body differs from the signed one'],
  delay: ['sent later', 'delayMs'],
  'drop-response': ['delivered, but the answer is lost'],
}

/** The faults that can be set, and those that are set. */
export function faultsPage({ faults }: ConsoleParts): ConsolePage {
  const [partner, webhook] = [faults.partner, faults.webhook].map((set) => set.newest(stubLimits.consoleRowsMax))
  return {
    title: 'Faults',
    content: html`
      <h1>Faults</h1>
      <p class="soft">A fault applies to the next matching requests or attempts, one each, and counts down. The fault that was set first applies first.</p>
      <div class="split">
        ${side('Partner requests', 'faults', partner, partnerKinds, select('operation', 'Operation', platformOperationNames))}
        ${side('Webhooks', 'webhook-faults', webhook, webhookKinds, select('event', 'Event', Object.keys(webhookEvents)))}
      </div>`,
  }
}

interface SetFault {
  readonly id: number
  readonly kind: string
  readonly times: number
}

function side(name: string, id: string, set: readonly SetFault[] = [], kinds: Kinds<string>, target: Html): Html {
  const path = `/stub/${id}`
  const fields = html`
    <fieldset><legend>What happens</legend>${Object.entries(kinds).map(kindChoice)}</fieldset>
    <div class="fields">${target}${numberField('times')}</div>`
  return html`<section aria-labelledby="${id}">
    <h2 id="${id}">${name}</h2>
    <div class="card pad">${actForm({ method: 'POST', path, label: 'Set fault', button: 'first', className: 'stack', fields })}</div>
    ${
      set.length === 0
        ? emptyState('None is set', 'All requests and webhooks work as usual.')
        : html`<div class="card pad stack"><ul class="list">${set.map(setFault)}</ul>${actForm({ method: 'DELETE', path, label: 'Clear all' })}</div>`
    }
  </section>`
}

function kindChoice([name, [does, ...own]]: [string, Kinds<string>[string]], at: number): Html {
  return html`<div class="kind">
    <label><input type="radio" name="kind" value="${name}" ${at === 0 ? html`checked` : ''}> <span><code>${name}</code> <span class="soft">${does}</span></span></label>
    ${own.length > 0 ? html`<div class="fields">${own.map(numberField)}</div>` : ''}
  </div>`
}

function numberField(name: keyof typeof numbers): Html {
  const [label, value] = numbers[name]
  return field(label, html`name="${name}" type="number" min="0" value="${value}"`)
}

function select(name: string, label: string, options: readonly string[]): Html {
  return html`<label class="field"><span>${label}</span><select name="${name}"><option value="">any</option>${options.map((option) => html`<option>${option}</option>`)}</select></label>`
}

function setFault({ id: _, kind, times, ...rest }: SetFault): Html {
  const fields = Object.entries(rest).map(([name, value]) => `${name} ${value}`)
  return html`<li>${badge('argued', kind)} <strong>${times} ×</strong> <span class="soft">${fields.join(', ')}</span></li>`
}
