import type { DatabaseSync, SQLOutputValue } from 'node:sqlite'
import { statementsOf } from './statements.ts'

/** A link that a player can confirm once. Times are Unix ms of the stub's clock. */
export interface CharacterLinkRow {
  readonly id: number
  readonly gameServerId: number
  readonly characterRef: string
  readonly characterName: string | null
  readonly token: string
  readonly createdAt: number
  readonly expiresAt: number
  readonly usedAt: number | null
}

const flags = ['account', 'linked', 'banned', 'sellingBlocked', 'recipientApproved'] as const

/** The state of a character and of the account behind it. */
export type CharacterState = Readonly<Record<(typeof flags)[number], boolean>>

/** A character as the platform knows it. One that it has never seen has no name, and every flag is false. */
export interface CharacterRow extends CharacterState {
  readonly characterName: string | null
}

/** A character from its row, where SQLite has 0 and 1 for a flag. */
export function characterOf(row: Readonly<Record<string, SQLOutputValue>>): CharacterRow {
  const state = Object.fromEntries(flags.map((flag) => [flag, row[flag] === 1])) as CharacterState
  return { characterName: (row['characterName'] ?? null) as string | null, ...state }
}

/** Characters with the state of their accounts, and the links that players confirm. */
export function characterTables(database: DatabaseSync) {
  const { get, run, insert, nextId } = statementsOf(database)
  const read = get<Readonly<Record<string, SQLOutputValue>>, [gameServerId: number, characterRef: string]>(
    'select * from characters where gameServerId = ? and characterRef = ?',
  )
  const write = insert<
    Record<'gameServerId' | 'characterRef' | 'characterName' | (typeof flags)[number], SQLOutputValue>
  >('characters', { verb: 'insert or replace' })('gameServerId', 'characterRef', 'characterName', ...flags)
  return {
    read: (gameServerId: number, characterRef: string) => characterOf(read(gameServerId, characterRef) ?? {}),
    write(gameServerId: number, characterRef: string, row: CharacterRow): void {
      const numbers = Object.fromEntries(flags.map((flag) => [flag, Number(row[flag])])) as Record<
        keyof CharacterState,
        number
      >
      write({ gameServerId, characterRef, characterName: row.characterName, ...numbers })
    },
    nextLinkId: nextId('characterLinks'),
    insertLink: insert<CharacterLinkRow>('characterLinks')(
      'id',
      'gameServerId',
      'characterRef',
      'characterName',
      'token',
      'createdAt',
      'expiresAt',
      'usedAt',
    ),
    linkByToken: get<CharacterLinkRow, [token: string]>('select * from characterLinks where token = ?'),
    useLink: run<[id: number, at: number]>('update characterLinks set usedAt = ?2 where id = ?1'),
  }
}
