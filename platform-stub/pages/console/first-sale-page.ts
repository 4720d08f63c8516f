import { html } from 'hono/html'
import { phaseOfRow } from '../../marketplace/transactions/moves.ts'
import type { Html } from '../document.ts'
import { badge, codeBlock, icon } from '../parts.ts'
import type { Texts } from '../texts/en.ts'
import { actForm } from './acts.ts'
import type { ConsolePage, ConsoleParts, PageRequest } from './console-parts.ts'
import { type SaleState, type SaleStep, saleStateOf, saleSteps } from './first-sale.ts'
import { withQuery } from './list.ts'
import { agentOn, type SaleStage, saleCommands } from './sale-commands.ts'
import { examplesByOrders, type SaleWay, saleWaysOf } from './sale-ways.ts'

/** Walks through the first sale, step by step; what has happened is ticked off. */
export function firstSalePage(parts: ConsoleParts, request: PageRequest): ConsolePage {
  const { t } = parts
  const state = saleStateOf(parts)
  const stage: SaleStage = { developerUrl: parts.developerUrl(), agent: parts.agentNote.read() }
  const ways = saleWaysOf(agentOn(stage))
  const chosen = ways.find((way) => way === request.query.get('with')) ?? 'curl'
  const count = saleSteps.filter((step) => state.done[step]).length
  const now = state.done.delivery ? undefined : saleSteps.find((step) => !state.done[step])
  return {
    title: t.firstSale.title,
    content: html`
      <h1>${t.firstSale.title}</h1>
      <p class="soft">${t.firstSale.about}</p>
      <div class="row"><progress max="${saleSteps.length}" value="${count}" aria-labelledby="sale-progress"></progress><strong id="sale-progress" role="status">${t.firstSale.progress(count, saleSteps.length)}</strong></div>
      ${state.done.delivery ? finished(parts, state) : ''}
      <p class="soft">${stage.agent ? t.firstSale.where.started(html`<code>${stage.agent.url}</code>`) : t.firstSale.where.own}</p>
      ${wayChoice(parts, request, ways, chosen)}
      <ol class="sale-steps">${saleSteps.map((step, at) => stepItem(parts, state, { stage, way: chosen, step, at, now }))}</ol>`,
  }
}

function wayChoice({ t }: ConsoleParts, { path }: PageRequest, ways: readonly SaleWay[], chosen: SaleWay): Html {
  const names: Readonly<Record<SaleWay, string>> = { curl: 'curl', powershell: 'PowerShell', ...t.firstSale.ways }
  const link = (way: SaleWay) =>
    html`<li><a class="button small" href="${withQuery(path, new URLSearchParams({ with: way }))}" ${way === chosen ? html`aria-current="true"` : ''}>${names[way]}</a></li>`
  return html`<nav class="ways row" aria-labelledby="ways"><h2 id="ways">${t.firstSale.choose}</h2><ul class="row">${ways.map(link)}</ul></nav>`
}

interface Place {
  readonly stage: SaleStage
  readonly way: SaleWay
  readonly step: SaleStep
  readonly at: number
  /** The step that is to be done now; undefined when all are done. */
  readonly now: SaleStep | undefined
}

function stepItem(parts: ConsoleParts, state: SaleState, place: Place): Html {
  const { t } = parts
  const { stage, step, at, now } = place
  const { title, text } = t.firstSale.steps[step]
  const started: Readonly<Partial<Record<SaleStep, Html>>> = t.firstSale.started
  const isNow = step === now
  const phase = state.done[step] ? 'done' : isNow ? 'now' : 'later'
  const mark = state.done[step] ? icon('check') : html`<span aria-hidden="true">${at + 1}</span>`
  const body = html`<p>${(stage.agent && started[step]) ?? text}</p>${isNow ? (hints[step]?.(parts, state) ?? '') : ''}${commandsOf(parts, state, place)}`
  const shown = isNow
    ? body
    : html`<details><summary>${t.firstSale.how}</summary><div class="stack">${body}</div></details>`
  return html`<li id="step-${step}" class="card pad ${phase}" ${isNow ? html`aria-current="step"` : ''}>
    <span class="tick">${mark}</span>
    <div class="stack">
      <div class="row"><h2>${title}<span class="hidden-text">: ${t.firstSale.states[phase]}</span></h2>${state.done[step] ? html`<span class="soft">${facts[step]?.(parts, state) ?? ''}</span>` : ''}</div>
      ${shown}
    </div>
  </li>`
}

function commandsOf({ t }: ConsoleParts, { names }: SaleState, { stage, way, step }: Place): Html {
  const lines = saleCommands(way, names, stage)[step].map((line) => codeBlock(t, line))
  if (way !== 'examples' || step === 'server') return html`${lines}`
  if (step === 'call') return html`${lines}${exampleChoice(t, stage)}`
  return lines.length > 0 ? html`<p>${t.firstSale.example.type}</p>${lines}` : html`<p>${t.firstSale.byItself}</p>`
}

/** The examples whose orders come as the agent of this stage gives them. */
function exampleChoice({ firstSale: { example } }: Texts, stage: SaleStage): Html {
  const { forwardUrl } = agentOn(stage)
  const folders = examplesByOrders[forwardUrl === null ? 'fetched' : 'posted']
  const how = forwardUrl === null ? example.fetched : example.posted(html`<code>${forwardUrl}</code>`)
  return html`<p>${how}</p><ul class="row">${folders.map((folder) => html`<li><code>examples/${folder}</code></li>`)}</ul><p class="soft">${forwardUrl === null ? example.wantPosted : example.wantFetched}</p>`
}

/** What is said about a step that is done. */
const facts: Readonly<Partial<Record<SaleStep, (parts: ConsoleParts, state: SaleState) => Html | string>>> = {
  server: ({ directory }) => {
    const server = directory.all().at(-1)
    return server ? html`<a href="/console/game-servers/${server.id}">${server.name}</a>` : ''
  },
  call: ({ t }) => html`<a href="/console/requests">${t.menu['/console/requests']}</a>`,
  link: (_, { rows }) => html`<code>${rows.character?.characterRef}</code>`,
  listing: (_, { rows }) => html`<a href="/console/listings">${rows.listing?.itemName}</a>`,
  purchase: transactionLink,
  payment: () => badge('good', 'PAGO'),
  delivery: () => badge('good', 'ENTREGUE'),
}

/** What helps with the step that is to be done now. */
const hints: Readonly<Partial<Record<SaleStep, (parts: ConsoleParts, state: SaleState) => Html | string>>> = {
  server: ({ t }) =>
    html`<p>${t.firstSale.registerHere(html`<a href="/console/game-servers">${t.firstSale.registerHereLink}</a>`)}</p>`,
  call: ({ t, journal }) => {
    // The agent asks for the platform's time without a signature, which is refused and no mistake.
    const isRefused = journal.newest(1).some(({ authentication }) => authentication?.signingInput)
    const list = html`<a href="/console/requests?show=refused">${t.firstSale.refusedLink}</a>`
    return isRefused ? html`<div class="notice wait">${icon('alert')}<p>${t.firstSale.refused(list)}</p></div>` : ''
  },
  link: ({ t, platform }, { rows: { openLink } }) =>
    openLink
      ? html`<p><a class="button first" href="${platform.publicUrl()}/portal/links/${openLink.token}" target="_blank">${t.firstSale.openLink}</a></p>`
      : '',
  listing: ({ t }, { rows: { character } }) => {
    if (!character || character.isApproved) return ''
    const { gameServerId, characterRef } = character
    const path = `/stub/game-servers/${gameServerId}/characters/${encodeURIComponent(characterRef)}`
    const approve = actForm({
      method: 'PUT',
      path,
      label: t.firstSale.approve,
      button: 'first',
      body: { recipientApproved: true },
    })
    return html`<p>${t.firstSale.toApprove}</p><div class="row">${approve}</div>`
  },
  purchase: buying,
  payment: (parts, state) => {
    const { t, platform } = parts
    const { transaction } = state.rows
    if (!transaction) return ''
    if (phaseOfRow(transaction) !== 'awaiting-payment') return buyingAgain(parts, state)
    const path = `/stub/transactions/${transaction.id}/pay`
    const checkout = `${platform.publicUrl()}/checkout/${transaction.checkoutToken}`
    return html`<div class="row"><a class="button first" href="${checkout}" target="_blank">${t.firstSale.openCheckout}</a>${actForm({ method: 'POST', path, label: t.transaction.acts.pay })}</div>`
  },
  delivery: (parts, state) => {
    const { t, directory, platform } = parts
    const { transaction } = state.rows
    if (!transaction) return ''
    if (phaseOfRow(transaction) !== 'awaiting-server') return buyingAgain(parts, state)
    const { id, gameServerId } = transaction
    const server = directory.byId(gameServerId)
    const link = html`<a href="/console/game-servers/${gameServerId}">${server?.name}</a>`
    const waits = server?.webhookUrl ? '' : html`<p class="notice wait">${t.firstSale.noAddress(link)}</p>`
    if (!platform.tables.gameServers.keyOf(gameServerId)?.privateKeyPem) return waits
    const deliver = actForm({ method: 'POST', path: `/stub/transactions/${id}/deliver`, label: t.firstSale.deliver })
    return html`${waits}<div class="row"><span>${t.firstSale.deliverHere}</span>${deliver}</div>`
  },
}

/** The newest purchase is over without a delivery. */
function buyingAgain(parts: ConsoleParts, state: SaleState): Html {
  return html`<p>${parts.t.firstSale.isOver(transactionLink(parts, state))}</p>${buying(parts, state)}`
}

function buying({ t }: ConsoleParts, { rows: { listing }, names }: SaleState): Html | string {
  if (listing?.status !== 'ACTIVE') return ''
  const body = { quantity: 1, buyerCharacterRef: names.buyer }
  const buy = actForm({ method: 'POST', path: `/stub/listings/${listing.id}/buy`, label: t.firstSale.buyOne, body })
  return html`<div class="row"><span>${t.firstSale.buyHere}</span>${buy}</div>`
}

function transactionLink({ t }: ConsoleParts, { rows: { transaction } }: SaleState): Html {
  return html`<a href="/console/transactions/${transaction?.id}">${t.common.number(transaction?.id ?? '')}</a>`
}

function finished(parts: ConsoleParts, state: SaleState): Html {
  const { t } = parts
  const { title, text, see, fail, fault, faults } = t.firstSale.finished
  return html`<section class="card pad stack finished" aria-labelledby="finished">
    <h2 id="finished">${icon('check')} ${title}</h2>
    <p>${text}</p>
    <ul class="list bullets">
      <li>${see(transactionLink(parts, state))}</li>
      <li>${fail}</li>
      <li>${fault(html`<a href="/console/faults">${faults}</a>`)}</li>
    </ul>
  </section>`
}
