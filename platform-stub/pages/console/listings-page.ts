import { html } from 'hono/html'
import { estimateStock } from '../../marketplace/listings/estimate.ts'
import type { ListingRow } from '../../store/listing-rows.ts'
import { duration } from '../browser/moments.js'
import type { Html } from '../document.ts'
import { inBrief, inReais, relativeTo } from '../formats.ts'
import { badge, copyableInBrief } from '../parts.ts'
import type { Texts } from '../texts/en.ts'
import type { ConsolePage, ConsoleParts, PageRequest } from './console-parts.ts'
import { beforeIn, emptyState, pageOf, rowsAsked, table } from './list.ts'
import { listingMachine } from './machine.ts'
import { machinePicture } from './machine-picture.ts'
import { buyForm } from './stand-in-acts.ts'

/** Listings with their estimates and the reasons for them. */
export function listingsPage(parts: ConsoleParts, request: PageRequest): ConsolePage {
  const { t, queries, clock, platform } = parts
  const { observationFreshnessMs: freshnessMs } = platform.settings
  const { columns } = t.listings
  const nowMs = clock.nowMs()
  const found = queries.listings({ before: beforeIn(request), count: rowsAsked })
  const { rows, pager } = pageOf(t, request, found, ({ id }) => id)
  const counts = new Map(queries.listingStatuses().map(({ status, count }) => [status, count]))
  const empty = emptyState(t.listings.none, t.listings.comesWith)
  const isSoldOut = (listing: ListingRow) =>
    listing.status === 'ACTIVE' && estimateStock(listing, nowMs, freshnessMs).available === 0
  return {
    title: t.menu['/console/listings'],
    content: html`
      <h1>${t.menu['/console/listings']}</h1>
      <p class="soft">${t.listings.about(duration(freshnessMs, t.lang))}</p>
      ${table(t.menu['/console/listings'], rows, ({ id }) => id, empty, [
        { name: t.common.no, look: 'figure', cell: ({ id }) => id },
        {
          name: columns.item,
          look: 'wide',
          cell: ({ itemName, itemRef, attributes, sellerCharacterRef }) =>
            html`<span class="strong">${inBrief(itemName)}</span><span class="sub">${copyableInBrief(t, 'itemRef', itemRef)}</span><span class="sub wrap">${attributes}</span><span class="sub">${t.listings.seller(inBrief(sellerCharacterRef))}</span>`,
        },
        { name: columns.price, look: 'figure', cell: ({ unitAmountCents }) => inReais(unitAmountCents, t.lang) },
        {
          name: columns.status,
          cell: (listing) =>
            html`${badge(listing.status === 'ACTIVE' ? 'good' : 'calm', listing.status)} ${isSoldOut(listing) ? badge('bad', t.listings.soldOut) : ''}`,
        },
        { name: columns.estimate, look: 'wide', cell: (listing) => estimateInWords(t, listing, nowMs, freshnessMs) },
        { name: columns.changed, cell: ({ updatedAt }) => relativeTo(updatedAt, nowMs, t.lang) },
        { name: columns.buy, cell: (listing) => buyForm(parts, listing) },
      ])}
      ${pager}
      <details class="card pad"><summary>${t.listings.states}</summary>${machinePicture(t, listingMachine, { counts })}</details>`,
  }
}

/** The estimate of a listing's stock and the reasons for it, in words. */
export function estimateInWords(t: Texts, listing: ListingRow, nowMs: number, freshnessMs: number): Html {
  const { exact, observed, available } = estimateStock(listing, nowMs, freshnessMs)
  const { quantityListed, quantitySold, observedQuantity, observedAt, status } = listing
  const texts = t.listings
  const age = duration(nowMs - (observedAt ?? nowMs), t.lang)
  const observation =
    observedQuantity === null
      ? texts.notObserved
      : observed === null
        ? texts.observedLongAgo(observedQuantity, age, duration(freshnessMs, t.lang))
        : observed < exact
          ? texts.observedLess(observedQuantity, age)
          : texts.observedEnough(observedQuantity, age)
  const isWithdrawn = status === 'WITHDRAWN'
  return html`<p class="soft estimate">${texts.available(isWithdrawn ? 0 : available, quantityListed, quantitySold, exact, observation)} ${isWithdrawn ? texts.withdrawn : ''}</p>`
}
