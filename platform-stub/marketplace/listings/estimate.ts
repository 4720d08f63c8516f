/** What the estimate is made of. Times in Unix ms. */
export interface StockFacts {
  readonly quantityListed: number
  readonly quantitySold: number
  readonly observedQuantity: number | null
  readonly observedAt: number | null
}

/** Both parts of the estimate, for those who want to know why. */
export interface StockEstimate {
  /** Listed minus sold: always applies and never ages. */
  readonly exact: number
  /** The last observation; null while there is none, or none recent enough. */
  readonly observed: number | null
  /** The smaller of the two, never below 0: more than this cannot be bought. */
  readonly available: number
}

/**
 * How much of a listing can still be bought, as far as the platform knows. It can only refuse a purchase: an
 * observation above the exact part adds nothing, and an old one counts as unknown.
 *
 * @param freshnessMs How old an observation may be and still count, that age included.
 * @see interface section 2, stock estimate
 */
export function estimateStock(stock: StockFacts, nowMs: number, freshnessMs: number): StockEstimate {
  const exact = stock.quantityListed - stock.quantitySold
  const isRecent = stock.observedAt !== null && nowMs - stock.observedAt <= freshnessMs
  const observed = isRecent ? stock.observedQuantity : null
  return { exact, observed, available: Math.max(0, Math.min(exact, observed ?? exact)) }
}
