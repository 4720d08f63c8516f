import type { ListingStatus } from '../../../contract/listing.ts'
import type { TransactionPhase } from '../../../contract/transaction.ts'

type Point = readonly [x: number, y: number]

/** Where the parts of a state machine are drawn, in CSS pixels. */
export interface Drawing<State extends string> {
  readonly width: number
  readonly height: number
  /** The middle of each state. */
  readonly states: Readonly<Record<State, Point>>
  /** For each move, named `from trigger to`: its line as an SVG path of `M`, `H` and `V`, and the middle of its label. */
  readonly moves: Readonly<Record<string, { readonly line: string; readonly label: Point }>>
}

// Drawn by hand. A test compares both drawings with the contract's tables, and names what a change of these needs.

/** The transaction: payment above, delivery in the middle, the ends below and at the sides. */
export const transactionDrawing: Drawing<TransactionPhase> = {
  width: 704,
  height: 472,
  states: {
    'awaiting-payment': [372, 49],
    expired: [88, 49],
    cancelled: [612, 49],
    'awaiting-server': [372, 170],
    disputed: [88, 290],
    delivered: [372, 290],
    failed: [612, 290],
    'refunded-after-dispute': [88, 415],
    completed: [372, 415],
    'refunded-after-failure': [612, 415],
  },
  moves: {
    'awaiting-payment pay awaiting-server': { line: 'M372 77V133', label: [372, 104] },
    'awaiting-payment expire expired': { line: 'M292 49H168', label: [230, 49] },
    'awaiting-payment cancel cancelled': { line: 'M452 49H532', label: [490, 49] },
    'awaiting-server deliver delivered': { line: 'M372 207V253', label: [372, 229] },
    'awaiting-server fail-out-of-stock failed': { line: 'M452 170H612V253', label: [530, 170] },
    'awaiting-server dispute disputed': { line: 'M292 158H64V262', label: [178, 158] },
    'disputed reject-dispute awaiting-server': { line: 'M112 262V182H292', label: [202, 182] },
    'delivered dispute disputed': { line: 'M292 278H168', label: [230, 278] },
    'disputed reject-dispute delivered': { line: 'M168 303H292', label: [228, 303] },
    'delivered complete completed': { line: 'M372 327V370', label: [372, 347] },
    'failed refund refunded-after-failure': { line: 'M612 327V370', label: [612, 347] },
    'disputed refund refunded-after-dispute': { line: 'M88 318V378', label: [88, 347] },
  },
}

/** The transaction where a phone is held upright: the main path on the left, the ends and the dispute on the right. */
export const narrowTransactionDrawing: Drawing<TransactionPhase> = {
  width: 352,
  height: 786,
  states: {
    'awaiting-payment': [88, 40],
    expired: [264, 90],
    'awaiting-server': [88, 206],
    cancelled: [264, 206],
    disputed: [264, 330],
    delivered: [88, 398],
    'refunded-after-dispute': [264, 488],
    completed: [88, 530],
    failed: [264, 604],
    'refunded-after-failure': [264, 730],
  },
  moves: {
    'awaiting-payment pay awaiting-server': { line: 'M60 68V169', label: [60, 118] },
    'awaiting-payment expire expired': { line: 'M168 26H264V53', label: [218, 26] },
    'awaiting-payment cancel cancelled': { line: 'M140 68V148H264V169', label: [200, 148] },
    'awaiting-server deliver delivered': { line: 'M36 243V361', label: [36, 276] },
    'awaiting-server dispute disputed': { line: 'M140 243V268H264V302', label: [205, 268] },
    'disputed reject-dispute awaiting-server': { line: 'M184 318H96V243', label: [108, 300] },
    'awaiting-server fail-out-of-stock failed': { line: 'M168 220H176V546H264V567', label: [238, 546] },
    'delivered dispute disputed': { line: 'M168 378H240V358', label: [214, 378] },
    'disputed reject-dispute delivered': { line: 'M290 358V416H168', label: [246, 416] },
    'delivered complete completed': { line: 'M88 435V485', label: [88, 459] },
    'disputed refund refunded-after-dispute': { line: 'M326 358V451', label: [318, 436] },
    'failed refund refunded-after-failure': { line: 'M264 641V685', label: [264, 661] },
  },
}

/** The listing. */
export const listingDrawing: Drawing<ListingStatus> = {
  width: 184,
  height: 182,
  states: { ACTIVE: [92, 42], WITHDRAWN: [92, 142] },
  moves: { 'ACTIVE WITHDRAW WITHDRAWN': { line: 'M92 70V114', label: [92, 91] } },
}
