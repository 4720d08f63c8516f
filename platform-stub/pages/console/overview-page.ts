import { html } from 'hono/html'
import type { Html } from '../document.ts'
import { actForm } from './acts.ts'
import { consolePage } from './console-layout.ts'
import type { ConsoleContext, ConsoleParts } from './console-parts.ts'
import { listingMachine, transactionMachine } from './machine.ts'
import { machinePicture } from './machine-picture.ts'
import { phaseCounts, sum } from './phase-counts.ts'
import { transactionTable } from './transaction-table.ts'

const newestShown = 8

/** The state of everything on one page. */
export function overviewPage(context: ConsoleContext, parts: ConsoleParts) {
  const { queries, directory, journal } = parts
  const counts = phaseCounts(queries.stateCounts())
  const newest = queries.transactions({ before: null, count: newestShown, state: null, search: null })
  const refused = journal.newest(100).filter(({ authentication }) => authentication).length
  const listingCounts = new Map(queries.listingStatuses().map(({ status, count }) => [status, count]))
  return consolePage(context, parts, {
    title: 'Overview',
    menuPath: '/console',
    content: html`
      <h1>Overview</h1>
      ${directory.all().length === 0 ? firstSteps() : ''}
      <ul class="tiles">
        ${tile('Transactions', sum(counts.values()), '/console/transactions')}
        ${tile('Active listings', listingCounts.get('ACTIVE') ?? 0, '/console/listings')}
        ${tile('Webhooks pending', queries.pendingDeliveries(), '/console/webhooks?state=pending')}
        ${tile('Signatures refused', refused, '/console/requests?show=refused', 'of the last 100')}
        ${tile('Game servers', directory.all().length, '/console/game-servers')}
      </ul>
      <section aria-labelledby="machines">
        <h2 id="machines">States</h2>
        <p class="soft">The stub works by these state machines. The numbers count transactions and listings; a state leads to its transactions.</p>
        <div class="machines card pad">
          ${machinePicture(transactionMachine, { counts, hrefOf: (phase) => `/console/transactions?phase=${phase}` })}
          ${machinePicture(listingMachine, { counts: listingCounts })}
        </div>
      </section>
      <section aria-labelledby="newest">
        <h2 id="newest">Newest transactions</h2>
        ${transactionTable(parts, newest)}
      </section>
      <section aria-labelledby="reset">
        <h2 id="reset">Start over</h2>
        <div class="card pad row spread">
          <p>Deletes everything except game servers and their keys, and sets the clock to the real time.</p>
          ${actForm({ method: 'POST', path: '/stub/reset', label: 'Reset', button: 'bad', question: 'Delete everything except game servers and keys?' })}
        </div>
      </section>`,
  })
}

function tile(name: string, count: number, href: string, note = ''): Html {
  return html`<li class="card"><a href="${href}"><span class="caption">${name}</span><strong>${count.toLocaleString('en')}</strong>${note ? html`<span class="soft">${note}</span>` : ''}</a></li>`
}

function firstSteps(): Html {
  return html`<section class="card pad steps-card" aria-labelledby="first">
    <h2 id="first">First steps</h2>
    <ol>
      <li><a href="/console/game-servers">Register a game server</a> and take its <code>agent.env</code>.</li>
      <li>Start <code>market-agent run --config agent.env</code>, or sign requests yourself.</li>
      <li>Let a character sell, list an item, buy it: everything appears here as it happens.</li>
    </ol>
  </section>`
}
