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

/** A number of a fault: its label and its first value. */
type NumberField = readonly [label: string, value: string]

/** Fields that every fault has. The form has them once. */
type SharedField = 'kind' | 'times' | 'operation' | 'event'

/** Each kind of fault, in words and with its own fields. */
type Kinds<Fault extends { readonly kind: string }> = {
  readonly [Kind in Fault['kind']]: {
    readonly does: string
    readonly fields: {
      readonly [Field in Exclude<keyof Extract<Fault, { readonly kind: Kind }>, SharedField>]-?: NumberField
    }
  }
}

const delayMs: NumberField = ['Delay, ms', '3000']

const partnerKinds: Kinds<PartnerFault> = {
  status: {
    does: 'the request is answered with this status; nothing is done',
    fields: { status: ['Status', '503'], retryAfterSeconds: ['Retry-After, s', ''] },
  },
  delay: { does: 'the request is processed later', fields: { delayMs } },
  'hang-up-before': { does: 'the connection is closed; nothing is done', fields: {} },
  'hang-up-after': { does: 'the request is done, then the connection is closed without an answer', fields: {} },
  truncate: { does: 'the request is done; half of the answer is sent', fields: {} },
}

const webhookKinds: Kinds<WebhookFault> = {
  duplicate: { does: 'several copies are sent at once', fields: { copies: ['Copies', '1'] } },
  reorder: { does: 'a transfer_order is sent after its transaction_terminal', fields: {} },
  'wrong-kid': { does: 'signed with an unknown kid', fields: {} },
  expired: { does: 'signed with an exp in the past', fields: {} },
  'altered-body': { does: 'the body differs from the signed one', fields: {} },
  delay: { does: 'sent later', fields: { delayMs } },
  'drop-response': { does: 'delivered, but the answer is lost', fields: {} },
}

/** The faults that can be set, and those that are set. */
export function faultsPage({ faults }: ConsoleParts): ConsolePage {
  const [partner, webhook] = [faults.partner, faults.webhook].map(({ queue }) =>
    queue.newest(stubLimits.consoleRowsMax),
  )
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

interface Kind {
  readonly does: string
  readonly fields: Readonly<Record<string, NumberField>>
}

interface SetFault {
  readonly id: number
  readonly kind: string
  readonly times: number
}

function side(
  name: string,
  id: string,
  set: readonly SetFault[] = [],
  kinds: Readonly<Record<string, Kind>>,
  target: Html,
): Html {
  const path = `/stub/${id}`
  const fields = html`
    <fieldset><legend>What happens</legend>${Object.entries(kinds).map(kindChoice)}</fieldset>
    <div class="fields">${target}${numberField('times', ['Times', '1'])}</div>`
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

function kindChoice([name, { does, fields }]: readonly [string, Kind], at: number): Html {
  const own = Object.entries(fields).map(([key, number]) => numberField(key, number))
  return html`<div class="kind">
    <label><input type="radio" name="kind" value="${name}" ${at === 0 ? html`checked` : ''}> <span><code>${name}</code> <span class="soft">${does}</span></span></label>
    ${own.length > 0 ? html`<div class="fields">${own}</div>` : ''}
  </div>`
}

function numberField(name: string, [label, value]: NumberField): Html {
  return field(label, html`name="${name}" type="number" min="0" value="${value}"`)
}

function select(name: string, label: string, options: readonly string[]): Html {
  return html`<label class="field"><span>${label}</span><select name="${name}"><option value="">any</option>${options.map((option) => html`<option>${option}</option>`)}</select></label>`
}

function setFault({ id: _, kind, times, ...rest }: SetFault): Html {
  const fields = Object.entries(rest).map(([name, value]) => `${name} ${value}`)
  return html`<li>${badge('argued', kind)} <strong>${times} ×</strong> <span class="soft">${fields.join(', ')}</span></li>`
}
