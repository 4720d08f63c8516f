import { html } from 'hono/html'
import { phaseOfRow } from '../../marketplace/transactions/moves.ts'
import type { Html } from '../document.ts'
import { badge, codeBlock, icon } from '../parts.ts'
import { actForm } from './acts.ts'
import type { ConsolePage, ConsoleParts, PageRequest } from './console-parts.ts'
import { type SaleState, type SaleStep, saleStateOf, saleSteps } from './first-sale.ts'
import { choiceIn, withQuery } from './list.ts'
import { saleCommands } from './sale-commands.ts'
import { type SaleWay, saleWayGroups, saleWays } from './sale-ways.ts'

/** Walks through the first sale, step by step; what has happened is ticked off. */
export function firstSalePage(parts: ConsoleParts, request: PageRequest): ConsolePage {
  const { t } = parts
  const state = saleStateOf(parts)
  const chosen = choiceIn(saleWays, request.query.get('with')) ?? 'curl'
  const count = saleSteps.filter((step) => state.done[step]).length
  const now = state.done.delivery ? undefined : saleSteps.find((step) => !state.done[step])
  return {
    title: t.firstSale.title,
    content: html`
      <h1>${t.firstSale.title}</h1>
      <p class="soft">${t.firstSale.about}</p>
      <div class="row"><progress max="${saleSteps.length}" value="${count}" aria-labelledby="sale-progress"></progress><strong id="sale-progress" role="status">${t.firstSale.progress(count, saleSteps.length)}</strong></div>
      ${state.done.delivery ? finished(parts, state) : ''}
      ${wayChoice(parts, request, chosen)}
      <ol class="sale-steps">${saleSteps.map((step, at) => stepItem(parts, state, chosen, { step, at, now }))}</ol>
      <p class="soft">${t.firstSale.where}</p>`,
  }
}

function wayChoice({ t }: ConsoleParts, { path }: PageRequest, chosen: SaleWay): Html {
  const link = (way: SaleWay) =>
    html`<li><a class="button small" href="${withQuery(path, new URLSearchParams({ with: way }))}" ${way === chosen ? html`aria-current="true"` : ''}>${saleWays[way].name ?? t.firstSale.filesByHand}</a></li>`
  return html`<nav class="card pad ways" aria-label="${t.firstSale.choose}">
    ${Object.entries(saleWayGroups).map(
      ([group, ways]) =>
        html`<div><h2 id="ways-${group}">${t.firstSale.groups[group as keyof typeof saleWayGroups]}</h2><ul class="row" aria-labelledby="ways-${group}">${ways.map(link)}</ul></div>`,
    )}
  </nav>`
}

interface Place {
  readonly step: SaleStep
  readonly at: number
  /** The step that is to be done now; undefined when all are done. */
  readonly now: SaleStep | undefined
}

function stepItem(parts: ConsoleParts, state: SaleState, way: SaleWay, { step, at, now }: Place): Html {
  const { t } = parts
  const { title, text } = t.firstSale.steps[step]
  const isNow = step === now
  const phase = state.done[step] ? 'done' : isNow ? 'now' : 'later'
  const mark = state.done[step] ? icon('check') : html`<span aria-hidden="true">${at + 1}</span>`
  const commands = commandsOf(parts, state, way, step)
  const shown = isNow
    ? html`<p>${text}</p>${hints[step]?.(parts, state) ?? ''}${commands}`
    : html`<details><summary>${t.firstSale.commands}</summary><div class="stack"><p>${text}</p>${commands}</div></details>`
  return html`<li id="step-${step}" class="card pad ${phase}" ${isNow ? html`aria-current="step"` : ''}>
    <span class="tick">${mark}</span>
    <div class="stack">
      <div class="row"><h2>${title}<span class="hidden-text">: ${t.firstSale.states[phase]}</span></h2>${state.done[step] ? html`<span class="soft">${facts[step]?.(parts, state) ?? ''}</span>` : ''}</div>
      ${shown}
    </div>
  </li>`
}

function commandsOf({ t, developerUrl }: ConsoleParts, { names }: SaleState, chosen: SaleWay, step: SaleStep): Html {
  const way = saleWays[chosen]
  const lines = saleCommands(way, { ...names, developerUrl: developerUrl() })[step]
  if (lines.length === 0) return html`<p>${t.firstSale.byItself}</p>`
  const isTold = 'tell' in way && step !== 'server' && step !== 'call'
  return html`${isTold ? html`<p>${way.orders === 'files' ? t.firstSale.tellFile : t.firstSale.tellGame}</p>` : ''}${lines.map((line) => codeBlock(t, line))}`
}

/** What is said of a step that is done. */
const facts: Readonly<Partial<Record<SaleStep, (parts: ConsoleParts, state: SaleState) => Html | string>>> = {
  server: ({ directory }) => {
    const server = directory.all().at(-1)
    return server ? html`<a href="/console/game-servers/${server.id}">${server.name}</a>` : ''
  },
  call: ({ t }) => html`<a href="/console/requests">${t.menu['/console/requests']}</a>`,
  link: (_, { rows }) => html`<code>${rows.character?.characterRef}</code>`,
  listing: (_, { rows }) => html`<a href="/console/listings">${rows.listing?.itemName}</a>`,
  purchase: transactionLink,
  order: () => html`<code>transfer_order</code>`,
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
  order: (parts, state) => {
    const { t, directory, platform } = parts
    const { transaction } = state.rows
    if (!transaction) return ''
    const phase = phaseOfRow(transaction)
    if (phase === 'awaiting-payment') {
      const pay = actForm({
        method: 'POST',
        path: `/stub/transactions/${transaction.id}/pay`,
        label: t.transaction.acts.pay,
      })
      const checkout = `${platform.publicUrl()}/checkout/${transaction.checkoutToken}`
      return html`<div class="row"><a class="button first" href="${checkout}" target="_blank">${t.firstSale.openCheckout}</a>${pay}</div>`
    }
    if (phase !== 'awaiting-server')
      return html`<p>${t.firstSale.isOver(transactionLink(parts, state))}</p>${buying(parts, state)}`
    const server = directory.byId(transaction.gameServerId)
    if (!server || server.webhookUrl) return ''
    const link = html`<a href="/console/game-servers/${server.id}">${server.name}</a>`
    return html`<p class="notice wait">${t.firstSale.noAddress(link)}</p>`
  },
  delivery: (parts, state) => {
    const { t, platform } = parts
    const { transaction } = state.rows
    if (!transaction) return ''
    if (phaseOfRow(transaction) !== 'awaiting-server')
      return html`<p>${t.firstSale.isOver(transactionLink(parts, state))}</p>${buying(parts, state)}`
    if (!platform.tables.gameServers.keyOf(transaction.gameServerId)?.privateKeyPem) return ''
    const path = `/stub/transactions/${transaction.id}/deliver`
    return html`<div class="row"><span>${t.firstSale.deliverHere}</span>${actForm({ method: 'POST', path, label: t.firstSale.deliver })}</div>`
  },
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
