/** What a correct game server may do at its worst. Faults turn it on and off. */
export interface Quirks {
  /** It thinks about an order for up to 30 s. */
  isSlow: boolean
  /** Half of its replies are garbage. */
  saysGarbage: boolean
}

export function noQuirks(): Quirks {
  return { isSlow: false, saysGarbage: false }
}
