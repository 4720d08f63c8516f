import type { DatabaseSync, SQLOutputValue } from 'node:sqlite'

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

/** The state of a character and of the account behind it. */
export interface CharacterState {
  readonly account: boolean
  readonly linked: boolean
  readonly banned: boolean
  readonly sellingBlocked: boolean
  readonly recipientApproved: boolean
}

/** A character as the platform knows it, or would if it had never heard of it. */
export interface CharacterRow extends CharacterState {
  readonly characterName: string | null
}

const stranger: CharacterRow = {
  characterName: null,
  account: false,
  linked: false,
  banned: false,
  sellingBlocked: false,
  recipientApproved: false,
}

/** A character from its row, where SQLite has 0 and 1 for what is so or not. */
export function characterOf(row: Readonly<Record<string, SQLOutputValue>>): CharacterRow {
  return {
    characterName: row['characterName'] as string | null,
    account: row['account'] === 1,
    linked: row['linked'] === 1,
    banned: row['banned'] === 1,
    sellingBlocked: row['sellingBlocked'] === 1,
    recipientApproved: row['recipientApproved'] === 1,
  }
}

/** Characters with the state of their accounts, and the links that players confirm. */
export function characterTables(database: DatabaseSync) {
  const read = database.prepare('select * from characters where gameServerId = ? and characterRef = ?')
  const write = database.prepare(`
    insert or replace into characters
      (gameServerId, characterRef, characterName, account, linked, banned, sellingBlocked, recipientApproved)
    values (?, ?, ?, ?, ?, ?, ?, ?)
  `)
  const nextLinkId = database.prepare(
    `select coalesce(max(seq), 0) + 1 as id from sqlite_sequence where name = 'characterLinks'`,
  )
  const insertLink = database.prepare(`
    insert into characterLinks (id, gameServerId, characterRef, characterName, token, createdAt, expiresAt, usedAt)
    values (:id, :gameServerId, :characterRef, :characterName, :token, :createdAt, :expiresAt, :usedAt)
  `)
  const linkByToken = database.prepare('select * from characterLinks where token = ?')
  const useLink = database.prepare('update characterLinks set usedAt = ? where id = ?')
  return {
    read(gameServerId: number, characterRef: string): CharacterRow {
      const row = read.get(gameServerId, characterRef)
      return row ? characterOf(row) : stranger
    },
    write(gameServerId: number, characterRef: string, row: CharacterRow): void {
      const flags = [row.account, row.linked, row.banned, row.sellingBlocked, row.recipientApproved].map(Number)
      write.run(gameServerId, characterRef, row.characterName, ...flags)
    },
    nextLinkId: (): number => Number(nextLinkId.get()?.['id']),
    insertLink: (row: CharacterLinkRow): void => void insertLink.run({ ...row }),
    linkByToken: (token: string) => linkByToken.get(token) as unknown as CharacterLinkRow | undefined,
    useLink: (id: number, at: number): void => void useLink.run(at, id),
  }
}
