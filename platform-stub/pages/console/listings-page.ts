import { html } from 'hono/html'
import { estimateStock } from '../../marketplace/listings/estimate.ts'
import { duration } from '../browser/durations.js'
import { inReais } from '../money.ts'
import { consolePage } from './console-layout.ts'
import type { ConsoleContext, ConsoleParts } from './console-parts.ts'
import { estimateInWords } from './estimate-in-words.ts'
import { listingMachine } from './machine.ts'
import { machinePicture } from './machine-picture.ts'
import { relativeTo } from './moments.ts'
import { beforeIn, pageOf, pager, rowsAsked } from './paging.ts'
import { emptyState, table } from './table.ts'

/** Listings with their estimates and the reasons for them. */
export function listingsPage(context: ConsoleContext, parts: ConsoleParts) {
  const { queries, clock, platform } = parts
  const { observationFreshnessMs } = platform.settings
  const query = new URL(context.req.url).searchParams
  const nowMs = clock.nowMs()
  const found = queries.listings({ before: beforeIn(query), count: rowsAsked })
  const { rows: listings, next } = pageOf(found, ({ id }) => id)
  const rows = listings.map((listing) => ({
    listing,
    estimate: estimateStock(listing, nowMs, observationFreshnessMs),
  }))
  const counts = new Map(queries.listingStatuses().map(({ status, count }) => [status, count]))
  return consolePage(context, parts, {
    title: 'Listings',
    menuPath: '/console/listings',
    content: html`
      <h1>Listings</h1>
      <p class="soft">The estimate can refuse a purchase. It never authorizes one. An observation counts for ${duration(observationFreshnessMs)}.</p>
      ${
        rows.length === 0
          ? emptyState('No listing yet', 'A game client registers one with a signed offer.')
          : table('Listings', rows, ({ listing }) => listing.id, [
              { name: 'No.', cell: ({ listing }) => listing.id, isFigure: true },
              {
                name: 'Item',
                isWide: true,
                cell: ({ listing }) =>
                  html`<span class="strong">${listing.itemName}</span><code class="sub">${listing.itemRef}</code><span class="sub wrap">${listing.attributes}</span><span class="sub">from ${listing.sellerCharacterRef}</span>`,
              },
              { name: 'Price', cell: ({ listing }) => inReais(listing.unitAmountCents), isFigure: true },
              {
                name: 'Status',
                cell: ({ listing, estimate }) =>
                  html`<span class="badge ${listing.status === 'ACTIVE' ? 'good' : 'calm'}">${listing.status}</span>${listing.status === 'ACTIVE' && estimate.available === 0 ? html` <span class="badge bad">sold out</span>` : ''}`,
              },
              {
                name: 'Estimate, and why',
                cell: ({ listing, estimate }) => estimateInWords(listing, estimate, nowMs, observationFreshnessMs),
              },
              { name: 'Changed', cell: ({ listing }) => relativeTo(listing.updatedAt, nowMs) },
            ])
      }
      ${pager('/console/listings', query, next)}
      <details class="card pad"><summary>The states of a listing</summary>${machinePicture(listingMachine, { counts })}</details>`,
  })
}
