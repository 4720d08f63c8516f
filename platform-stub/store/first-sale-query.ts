import type { DatabaseSync } from 'node:sqlite'
import type { CharacterLinkRow } from './character-rows.ts'
import type { ListingRow } from './listing-rows.ts'
import { statementsOf } from './statements.ts'
import type { TransactionRow } from './transaction-rows.ts'

/** How far the platform's first sale came. Of several things of a kind, the newest. */
export interface FirstSaleRows {
  readonly isRegistered: boolean
  /** An envelope was accepted. */
  readonly isCalled: boolean
  /** A link that the player can still confirm. */
  readonly openLink: CharacterLinkRow | undefined
  /** A linked character, one that may sell before others. */
  readonly character:
    | { readonly gameServerId: number; readonly characterRef: string; readonly isApproved: 0 | 1 }
    | undefined
  readonly listing: ListingRow | undefined
  readonly transaction: TransactionRow | undefined
  readonly isDelivered: boolean
}

/** Reads how far the first sale came. */
export function firstSaleQuery(database: DatabaseSync): (nowMs: number) => FirstSaleRows {
  const { get, count } = statementsOf(database)
  const isThere = (rows: string) => count(`select exists (select 1 from ${rows})`)
  const isRegistered = isThere('gameServers')
  const isCalled = isThere('replays')
  const isDelivered = isThere('transactions where deliveredAt is not null')
  const openLink = get<CharacterLinkRow, [nowMs: number]>(
    'select * from characterLinks where usedAt is null and expiresAt > ? order by id desc limit 1',
  )
  const character = get<NonNullable<FirstSaleRows['character']>, []>(`
    select gameServerId, characterRef, recipientApproved as isApproved from characters
    where linked = 1 order by recipientApproved desc, gameServerId desc limit 1
  `)
  const listing = get<ListingRow, []>('select * from listings order by id desc limit 1')
  const transaction = get<TransactionRow, []>('select * from transactions order by id desc limit 1')
  return (nowMs) => ({
    isRegistered: isRegistered() > 0,
    isCalled: isCalled() > 0,
    openLink: openLink(nowMs),
    character: character(),
    listing: listing(),
    transaction: transaction(),
    isDelivered: isDelivered() > 0,
  })
}
