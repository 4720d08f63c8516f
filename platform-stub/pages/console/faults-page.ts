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

/** A number that a fault is set with: what the form calls it, and what it begins with. */
type NumberField = readonly [label: string, value: string]

/** What every fault has beside its own fields; the form asks for it once. */
type SharedField = 'kind' | 'times' | 'operation' | 'event'

/** Each kind of a fault in words, with its own fields and no other. */
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
    does: 'answered with this status before anything is looked at',
    fields: { status: ['Status', '503'], retryAfterSeconds: ['Retry-After, s', ''] },
  },
  delay: { does: 'looked at only so much later', fields: { delayMs } },
  'hang-up-before': { does: 'dropped; nothing acts', fields: {} },
  'hang-up-after': { does: 'done whole, then dropped without an answer', fields: {} },
  truncate: { does: 'done whole; the answer breaks off in the middle', fields: {} },
}

const webhookKinds: Kinds<WebhookFault> = {
  duplicate: { does: 'arrives in several copies at once', fields: { copies: ['Copies', '1'] } },
  reorder: { does: 'a transfer_order held back until after its terminal', fields: {} },
  'wrong-kid': { does: 'signed with a kid nobody knows', fields: {} },
  expired: { does: 'signed so that it has expired', fields: {} },
  'altered-body': { does: 'the body is another than was signed', fields: {} },
  delay: { does: 'begins only so much later', fields: { delayMs } },
  'drop-response': { does: 'arrives, and its answer is lost', fields: {} },
}

/** Everything that can be made to go wrong, and what is set to. */
export function faultsPage(context: ConsoleContext, parts: ConsoleParts) {
  const { partner, webhook } = parts.faults
  const shown = stubLimits.consoleRowsMax
  return consolePage(context, parts, {
    title: 'Faults',
    menuPath: '/console/faults',
    content: html`
      <h1>Faults</h1>
      <p class="soft">A fault meets what comes next and counts down. The first that was set goes first, one for each request or attempt.</p>
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
      className: 'fault',
      isKept: true,
      fields: html`
        <fieldset><legend>What happens</legend>${Object.entries(kinds).map(([kind, words], at) => kindChoice(kind, words, at === 0))}</fieldset>
        <div class="fields">${target}${numberField('times', 'Times', '1')}</div>`,
    })}</div>
    ${
      set.length === 0
        ? emptyState('None is set', 'Everything goes well.')
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
