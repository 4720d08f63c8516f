import { html } from 'hono/html'
import type { StockEstimate } from '../../marketplace/listings/estimate.ts'
import type { ListingRow } from '../../store/listing-rows.ts'
import { duration } from '../browser/durations.js'
import type { Html } from '../document.ts'

/** An estimate and the reasons for it, in words. */
export function estimateInWords(
  { quantityListed, quantitySold, observedQuantity, observedAt, status }: ListingRow,
  { exact, observed, available }: StockEstimate,
  nowMs: number,
  freshnessMs: number,
): Html {
  const age = observedAt === null ? '' : duration(nowMs - observedAt)
  const seen =
    observedQuantity === null
      ? html`nothing was observed yet, so the exact part counts alone`
      : observed === null
        ? html`<b>${observedQuantity}</b> observed ${age} ago, older than ${duration(freshnessMs)}: it counts as unknown`
        : html`<b>${observedQuantity}</b> observed ${age} ago ${observed < exact ? 'is less, and refuses more than that' : 'is no less, and adds nothing'}`
  const withdrawn = status === 'WITHDRAWN' ? html` Withdrawn: nothing can be bought at all.` : ''
  return html`<p class="estimate"><strong>${status === 'WITHDRAWN' ? 0 : available}</strong> <span>available: ${quantityListed} listed − ${quantitySold} sold = <b>${exact}</b> exactly; ${seen}.${withdrawn}</span></p>`
}
