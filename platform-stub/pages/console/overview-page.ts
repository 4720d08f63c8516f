import { html } from 'hono/html'
import { transactionPhases } from '../../../contract/transaction.ts'
import type { Html } from '../document.ts'
import { inBrief, relativeTo } from '../formats.ts'
import { card } from '../parts.ts'
import type { Texts } from '../texts/en.ts'
import { actForm } from './acts.ts'
import type { ConsolePage, ConsoleParts } from './console-parts.ts'
import { exchangeWith, expectedCell } from './exchange-view.ts'
import { listingMachine } from './machine.ts'
import { machinePicture, transactionPicture } from './machine-picture.ts'
import { phaseCounts } from './phase-view.ts'
import { isRefusedSignature } from './refused-signature.ts'
import { transactionTable } from './transactions-page.ts'

const newestShown = 8
const waitingShown = 5
const requestsCounted = 100

/** The state of everything on one page. */
export function overviewPage(parts: ConsoleParts): ConsolePage {
  const { t, queries, directory, journal } = parts
  const counts = phaseCounts(queries)
  const newest = queries.transactions({ before: null, count: newestShown, state: null, search: null })
  const refused = journal.newest(requestsCounted).filter(isRefusedSignature).length
  const listingCounts = new Map(queries.listingStatuses().map(({ status, count }) => [status, count]))
  const all = [...counts.values()].reduce((sum, count) => sum + count, 0)
  const reset = { method: 'POST', path: '/stub/reset', label: t.overview.reset, button: 'bad' } as const
  return {
    title: t.menu['/console/overview'],
    content: html`
      <h1>${t.menu['/console/overview']}</h1>
      <ul class="tiles">
        ${tile(t, t.menu['/console/transactions'], all, '/transactions')}
        ${tile(t, t.overview.active, listingCounts.get('ACTIVE') ?? 0, '/listings')}
        ${tile(t, t.overview.pending, queries.pendingDeliveries(), '/webhooks?state=pending')}
        ${tile(t, t.overview.refused, refused, '/requests?show=refused', t.overview.ofTheLast(requestsCounted))}
        ${tile(t, t.menu['/console/game-servers'], directory.all().length, '/game-servers')}
      </ul>
      ${card('waiting', t.overview.waiting, waitingOrders(parts, counts.get('awaiting-server') ?? 0))}
      ${card(
        'machines',
        t.overview.states,
        html`<p class="soft">${t.overview.aboutStates}</p>
        <div class="machines">
          ${transactionPicture(t, { counts, hrefOf: (phase) => `/console/transactions?phase=${phase}` })}
          ${machinePicture(t, listingMachine, { counts: listingCounts })}
        </div>`,
      )}
      <section aria-labelledby="newest"><h2 id="newest">${t.overview.newest}</h2>${transactionTable(parts, newest, html`<p class="soft">${t.overview.none}</p>`)}</section>
      ${card(
        'reset',
        t.overview.startOver,
        html`<p>${t.overview.aboutReset}</p>
        ${actForm({ ...reset, question: t.overview.isSure })}`,
      )}`,
  }
}

/** The newest orders that only the game server can end, each with what is expected of it. */
function waitingOrders(parts: ConsoleParts, count: number): Html {
  const { t, queries, clock } = parts
  if (count === 0) return html`<p class="soft">${t.overview.nothingWaits}</p>`
  const state = { ...transactionPhases['awaiting-server'], isCompleted: 0 } as const
  const rows = queries.transactions({ before: null, count: waitingShown, state, search: null })
  const nowMs = clock.nowMs()
  const lines = rows.map((row) => {
    const { id, itemName, quantity, buyerCharacterRef, paidAt } = row
    const paid =
      paidAt === null ? '' : html`<span class="soft">${t.overview.paid(relativeTo(paidAt, nowMs, t.lang))}</span>`
    return html`<li class="row"><a href="/console/transactions/${id}">${t.common.number(id)}</a> <strong>${quantity} × ${inBrief(itemName)}</strong> <span>${inBrief(buyerCharacterRef)}</span> ${paid} <div>${expectedCell(t, exchangeWith(parts, row), nowMs)}</div></li>`
  })
  const all = html`<p><a href="/console/transactions?phase=awaiting-server">${t.overview.allThatWait(count.toLocaleString(t.lang))}</a></p>`
  return html`<ul class="list">${lines}</ul>${count > waitingShown ? all : ''}`
}

function tile(t: Texts, name: string, count: number, path: string, note = ''): Html {
  return html`<li class="card"><a href="/console${path}"><span class="soft">${name}</span><strong>${count.toLocaleString(t.lang)}</strong><span class="soft">${note}</span></a></li>`
}
