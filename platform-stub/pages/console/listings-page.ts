import { html } from 'hono/html'
import { estimateStock } from '../../marketplace/listings/estimate.ts'
import type { ListingRow } from '../../store/listing-rows.ts'
import { duration } from '../browser/durations.js'
import type { Html } from '../document.ts'
import { inReais, relativeTo } from '../formats.ts'
import { badge } from '../parts.ts'
import type { ConsolePage, ConsoleParts, PageRequest } from './console-parts.ts'
import { beforeIn, emptyState, pageOf, rowsAsked, table } from './list.ts'
import { listingMachine } from './machine.ts'
import { machinePicture } from './machine-picture.ts'

/** Listings with their estimates and the reasons for them. */
export function listingsPage({ t, queries, clock, platform }: ConsoleParts, request: PageRequest): ConsolePage {
  const { observationFreshnessMs: freshnessMs } = platform.settings
  const nowMs = clock.nowMs()
  const found = queries.listings({ before: beforeIn(request), count: rowsAsked })
  const { rows, pager } = pageOf(t, request, found, ({ id }) => id)
  const counts = new Map(queries.listingStatuses().map(({ status, count }) => [status, count]))
  const empty = emptyState('No listing yet', 'A game client registers one with a signed offer.')
  const isSoldOut = (listing: ListingRow) =>
    listing.status === 'ACTIVE' && estimateStock(listing, nowMs, freshnessMs).available === 0
  return {
    title: 'Listings',
    content: html`
      <h1>Listings</h1>
      <p class="soft">The estimate can refuse a purchase. It never authorizes one. An observation counts for ${duration(freshnessMs)}.</p>
      ${table('Listings', rows, ({ id }) => id, empty, [
        { name: 'No.', look: 'figure', cell: ({ id }) => id },
        {
          name: 'Item',
          look: 'wide',
          cell: ({ itemName, itemRef, attributes, sellerCharacterRef }) =>
            html`<span class="strong">${itemName}</span><code class="sub">${itemRef}</code><span class="sub wrap">${attributes}</span><span class="sub">from ${sellerCharacterRef}</span>`,
        },
        { name: 'Price', look: 'figure', cell: ({ unitAmountCents }) => inReais(unitAmountCents, t.lang) },
        {
          name: 'Status',
          cell: (listing) =>
            html`${badge(listing.status === 'ACTIVE' ? 'good' : 'calm', listing.status)} ${isSoldOut(listing) ? badge('bad', 'sold out') : ''}`,
        },
        { name: 'Estimate, and why', look: 'wide', cell: (listing) => estimateInWords(listing, nowMs, freshnessMs) },
        { name: 'Changed', cell: ({ updatedAt }) => relativeTo(updatedAt, nowMs, t.lang) },
      ])}
      ${pager}
      <details class="card pad"><summary>The states of a listing</summary>${machinePicture(listingMachine, { counts })}</details>`,
  }
}

/** The estimate of a listing's stock and the reasons for it, in words. */
export function estimateInWords(listing: ListingRow, nowMs: number, freshnessMs: number): Html {
  const { exact, observed, available } = estimateStock(listing, nowMs, freshnessMs)
  const { quantityListed, quantitySold, observedQuantity, observedAt, status } = listing
  const age = duration(nowMs - (observedAt ?? nowMs))
  const seen =
    observedQuantity === null
      ? 'nothing was observed yet, so the exact part counts alone'
      : observed === null
        ? html`<b>${observedQuantity}</b> observed ${age} ago, older than ${duration(freshnessMs)}: it counts as unknown`
        : html`<b>${observedQuantity}</b> observed ${age} ago ${observed < exact ? 'is less, and refuses more than that' : 'is no less, and adds nothing'}`
  const isWithdrawn = status === 'WITHDRAWN'
  return html`<p class="soft estimate"><strong>${isWithdrawn ? 0 : available}</strong> available: ${quantityListed} listed − ${quantitySold} sold = <b>${exact}</b> exactly; ${seen}.${isWithdrawn ? ' Withdrawn: nothing can be bought at all.' : ''}</p>`
}
