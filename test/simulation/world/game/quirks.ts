/** What a correct game server may do at its worst. Faults turn it on and off. */
export interface Quirks {
  /** It thinks about an order for up to 30 s, and looks at no file. */
  isSlow: boolean
  /** Half of its replies are garbage. */
  saysGarbage: boolean
  /** It replies twice, or to an offer that nobody made. */
  repeatsReplies: boolean
  /** It writes its requests under their final names, in two steps. */
  writesInPlace: boolean
  /** It leaves its answers unread. */
  readsNothing: boolean
}

export function noQuirks(): Quirks {
  return { isSlow: false, saysGarbage: false, repeatsReplies: false, writesInPlace: false, readsNothing: false }
}
