import { html } from 'hono/html'
import type { Html } from '../document.ts'
import { card } from '../parts.ts'
import { actForm } from './acts.ts'
import type { ConsolePage, ConsoleParts } from './console-parts.ts'
import { listingMachine, transactionMachine } from './machine.ts'
import { machinePicture } from './machine-picture.ts'
import { phaseCounts } from './phase-view.ts'
import { transactionTable } from './transactions-page.ts'

const newestShown = 8

/** The state of everything on one page. */
export function overviewPage(parts: ConsoleParts): ConsolePage {
  const { queries, directory, journal } = parts
  const counts = phaseCounts(queries)
  const newest = queries.transactions({ before: null, count: newestShown, state: null, search: null })
  const refused = journal.newest(100).filter(({ authentication }) => authentication).length
  const listingCounts = new Map(queries.listingStatuses().map(({ status, count }) => [status, count]))
  const all = [...counts.values()].reduce((sum, count) => sum + count, 0)
  const reset = { method: 'POST', path: '/stub/reset', label: 'Reset', button: 'bad' } as const
  return {
    title: 'Overview',
    content: html`
      <h1>Overview</h1>
      ${directory.all().length === 0 ? firstSteps : ''}
      <ul class="tiles">
        ${tile('Transactions', all, '/transactions')}
        ${tile('Active listings', listingCounts.get('ACTIVE') ?? 0, '/listings')}
        ${tile('Webhooks pending', queries.pendingDeliveries(), '/webhooks?state=pending')}
        ${tile('Signatures refused', refused, '/requests?show=refused', 'of the last 100')}
        ${tile('Game servers', directory.all().length, '/game-servers')}
      </ul>
      ${card(
        'machines',
        'States',
        html`<p class="soft">The stub works by these state machines. The numbers count transactions and listings; a state leads to its transactions.</p>
        <div class="machines">
          ${machinePicture(transactionMachine, { counts, hrefOf: (phase) => `/console/transactions?phase=${phase}` })}
          ${machinePicture(listingMachine, { counts: listingCounts })}
        </div>`,
      )}
      <section aria-labelledby="newest"><h2 id="newest">Newest transactions</h2>${transactionTable(parts, newest, html`<p class="soft">None yet.</p>`)}</section>
      ${card(
        'reset',
        'Start over',
        html`<p>Deletes everything except game servers and their keys, and sets the clock to the real time.</p>
        ${actForm({ ...reset, question: 'Delete everything except game servers and keys?' })}`,
      )}`,
  }
}

function tile(name: string, count: number, path: string, note = ''): Html {
  return html`<li class="card"><a href="/console${path}"><span class="soft">${name}</span><strong>${count.toLocaleString('en')}</strong><span class="soft">${note}</span></a></li>`
}

const firstSteps = card(
  'first',
  'First steps',
  html`<ol>
    <li><a href="/console/game-servers">Register a game server</a> and take its <code>agent.env</code>.</li>
    <li>Start <code>market-agent run --config agent.env</code>, or sign requests yourself.</li>
    <li>Let a character sell, list an item, buy it: everything appears here as it happens.</li>
  </ol>`,
  'pad steps-card',
)
