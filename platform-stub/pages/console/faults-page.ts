import { html } from 'hono/html'
import { webhookEvents } from '../../../contract/events.ts'
import type { PartnerFault } from '../../faults/partner-fault.ts'
import type { WebhookFault } from '../../faults/webhook-fault.ts'
import { platformOperationNames } from '../../marketplace/platform-operations.ts'
import { stubLimits } from '../../store/stub-limits.ts'
import type { Html } from '../document.ts'
import { actForm } from './acts.ts'
import { consolePage } from './console-layout.ts'
import type { ConsoleContext, ConsoleParts } from './console-parts.ts'
import { emptyState } from './table.ts'

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
export function faultsPage(context: ConsoleContext, parts: ConsoleParts) {
  const { partner, webhook } = parts.faults
  const shown = stubLimits.consoleRowsMax
  return consolePage(context, parts, {
    title: 'Faults',
    menuPath: '/console/faults',
    content: html`
      <h1>Faults</h1>
      <p class="soft">A fault applies to the next matching requests or attempts, one each, and counts down. The fault that was set first applies first.</p>
      <div class="split even">
        ${side('Partner requests', '/stub/faults', partner.queue.newest(shown), partnerKinds, select('operation', 'Operation', platformOperationNames))}
        ${side('Webhooks', '/stub/webhook-faults', webhook.queue.newest(shown), webhookKinds, select('event', 'Event', Object.keys(webhookEvents)))}
      </div>`,
  })
}

interface Kind {
  readonly does: string
  readonly fields: Readonly<Record<string, NumberField>>
}

function side(
  name: string,
  path: string,
  set: readonly { readonly id: number; readonly kind: string; readonly times: number }[],
  kinds: Readonly<Record<string, Kind>>,
  target: Html,
): Html {
  const id = path.slice('/stub/'.length)
  return html`<section class="stack" aria-labelledby="${id}">
    <h2 id="${id}">${name}</h2>
    <div class="card pad">${actForm({
      method: 'POST',
      path,
      label: 'Set fault',
      button: 'first',
      className: 'stack',
      isKept: true,
      fields: html`
        <fieldset><legend>What happens</legend>${Object.entries(kinds).map(([kind, words], at) => kindChoice(kind, words, at === 0))}</fieldset>
        <div class="fields">${target}${numberField('times', 'Times', '1')}</div>`,
    })}</div>
    ${
      set.length === 0
        ? emptyState('None is set', 'All requests and webhooks work as usual.')
        : html`<div class="card pad">
            <ul class="list">${set.map((fault) => html`<li><span class="badge argued">${fault.kind}</span> <strong>${fault.times} ×</strong> <span class="soft">${restOf(fault)}</span></li>`)}</ul>
            ${actForm({ method: 'DELETE', path, label: 'Clear all' })}
          </div>`
    }
  </section>`
}

function kindChoice(name: string, { does, fields }: Kind, isFirst: boolean): Html {
  const own = Object.entries(fields)
  return html`<div class="kind">
    <label><input type="radio" name="kind" value="${name}" ${isFirst ? html`checked` : ''}> <span><code>${name}</code> <span class="soft">${does}</span></span></label>
    ${own.length === 0 ? '' : html`<div class="fields" data-if="${name}">${own.map(([field, [label, value]]) => numberField(field, label, value))}</div>`}
  </div>`
}

function numberField(name: string, label: string, value: string): Html {
  return html`<label class="field"><span>${label}</span><input name="${name}" type="number" min="0" value="${value}" data-type="number"></label>`
}

function select(name: string, label: string, options: readonly string[]): Html {
  return html`<label class="field"><span>${label}</span><select name="${name}"><option value="">any</option>${options.map((option) => html`<option>${option}</option>`)}</select></label>`
}

function restOf({
  id: _,
  kind: __,
  times: ___,
  ...rest
}: {
  readonly id: number
  readonly kind: string
  readonly times: number
}): string {
  return Object.entries(rest)
    .map(([name, value]) => `${name} ${value}`)
    .join(', ')
}
