import type { Random } from '../../random.ts'

/** What a correct game server may do at its worst. Faults turn it on and off. */
export interface Quirks {
  /** It thinks about an order for up to 30 s, and looks at no file. */
  isSlow: boolean
  /** Half of its replies are garbage, or a web server in front of it answers by itself. */
  saysGarbage: boolean
  /** It replies twice, or to an offer that nobody made. */
  repeatsReplies: boolean
  /** It puts its replies under `data`, as the platform does. */
  wrapsReplies: boolean
  /** It names what it calls once more among the fields of the call, as a file does. */
  namesActions: boolean
  /** It loses orders that it has taken and not given. */
  losesOrders: boolean
  /** It reads one file of an order at each look, so its replies have different times. */
  readsOneByOne: boolean
  /** It reads the newest order first. */
  readsNewestFirst: boolean
  /** Its language cannot list a directory, so it finds the files of events by the names in `agent.json`. */
  listsNothing: boolean
  /** It writes its requests under their final names, in two steps. */
  writesInPlace: boolean
  /** Another program opens the files in its spool, so that they cannot be renamed for some seconds. */
  isScanned: boolean
  /** It leaves its answers unread. */
  readsNothing: boolean
  /** It repeats a call after 5 s without an answer. */
  isImpatient: boolean
  /** It says a stock once, and not again when it is refused. */
  givesUp: boolean
  /** It does not repeat a registration in doubt: the first stock shows whether the platform knows the item. */
  registersOnce: boolean
  /** When its patience ends, it takes back a request that still waits in the outbox. */
  takesBack: boolean
  /** It does so after a moment. */
  takesBackSoon: boolean
  /** It asks for much, also under ids whose calls are under way, and for nothing else. */
  asksMuch: boolean
}

/** What a game server is like all day, before a fault comes. */
export function drawQuirks(random: Pick<Random, 'happens'>): Quirks {
  return {
    ...noQuirks(),
    losesOrders: random.happens(0.6),
    wrapsReplies: random.happens(0.3),
    namesActions: random.happens(0.3),
    readsOneByOne: random.happens(0.4),
    readsNewestFirst: random.happens(0.5),
    listsNothing: random.happens(0.2),
    writesInPlace: random.happens(0.25),
    repeatsReplies: random.happens(0.25),
    isScanned: random.happens(0.3),
    givesUp: random.happens(0.3),
    registersOnce: random.happens(0.3),
    isImpatient: random.happens(0.25),
    takesBack: random.happens(0.5),
    takesBackSoon: random.happens(0.2),
  }
}

function noQuirks(): Quirks {
  return {
    isSlow: false,
    saysGarbage: false,
    repeatsReplies: false,
    losesOrders: false,
    wrapsReplies: false,
    namesActions: false,
    readsOneByOne: false,
    readsNewestFirst: false,
    listsNothing: false,
    writesInPlace: false,
    isScanned: false,
    readsNothing: false,
    givesUp: false,
    registersOnce: false,
    isImpatient: false,
    takesBack: false,
    takesBackSoon: false,
    asksMuch: false,
  }
}
