import { hash } from 'node:crypto'
import { itemOfKey, keyOfItem } from '../call/call.ts'
import type { Query } from './database.ts'

/** An index of PostgreSQL takes 2,704 bytes, and a notification 8,000. */
const bytesMax = 1_000

/**
 * A text as PostgreSQL can store and find it: it has no NUL and is not long. Different texts stay different, and most texts
 * stay as they are. Instead of a long one it is its hash.
 */
export function storable(text: string): string {
  const escaped = text.replaceAll('\\', '\\\\').replaceAll('\0', '\\0')
  return Buffer.byteLength(escaped) <= bytesMax ? escaped : `\\#${hash('sha256', text, 'base64url')}`
}

/** A key of turns as PostgreSQL can store it. After the beginning of an item's key comes the item as it is stored. */
export function storableKey(key: string): string {
  const item = itemOfKey(key)
  return item === undefined ? storable(key) : keyOfItem(storable(item))
}

/** The text from which `storable` made this, if that was not long. */
export function fromStorable(text: string): string {
  return text.replaceAll(/\\[\\0]/g, (escaped) => (escaped === '\\0' ? '\0' : '\\'))
}

/** Notes an item whose name is long, so that it can be read from the store. */
export async function noteLongItem(query: Query, itemRef: string): Promise<void> {
  const short = storable(itemRef)
  if (!short.startsWith('\\#')) return
  const sql = `INSERT INTO market_agent.long_item (short, name) VALUES ($1, $2)
    ON CONFLICT (short) DO UPDATE SET noted_at_ms = market_agent.now_ms()`
  await query(sql, [short, JSON.stringify(itemRef)])
}

/** The item of a row of `market_agent.repair`, joined with `market_agent.long_item`. */
export function itemOfRow({ key, long_item }: Readonly<Record<string, unknown>>): string | undefined {
  if (typeof long_item === 'string') return JSON.parse(long_item) as string
  return itemOfKey(fromStorable(String(key)))
}
