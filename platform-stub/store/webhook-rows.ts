import type { DatabaseSync } from 'node:sqlite'
import type { WebhookEvent } from '../../contract/events.ts'
import { statementsOf } from './statements.ts'

/** One webhook and how far its delivery came. Times are Unix ms of the stub's clock. */
export interface WebhookDeliveryRow {
  readonly id: number
  readonly gameServerId: number
  readonly transactionId: number
  readonly event: WebhookEvent
  /** The exact text that is signed and sent at every attempt. */
  readonly payload: string
  /** `pending` waits for its next attempt; a 2xx made it `acknowledged`; `ended` will not be tried again. */
  readonly state: 'pending' | 'acknowledged' | 'ended'
  readonly attempts: number
  /** Present exactly while pending. */
  readonly nextAttemptAt: number | null
  readonly createdAt: number
  readonly closedAt: number | null
  /** 1 where a fault holds it back: it is not due until its transaction's terminal was acknowledged. */
  readonly isHeld: 0 | 1
}

/** A delivery before its first attempt, which is due at `nextAttemptAt`. */
export type NewWebhookDelivery = Omit<WebhookDeliveryRow, 'id' | 'state' | 'attempts' | 'closedAt' | 'isHeld'>

/** One attempt, or one of the copies that a fault sent along under the same number. */
export interface WebhookAttemptRow {
  readonly id: number
  readonly deliveryId: number
  readonly number: number
  readonly at: number
  readonly durationMs: number
  readonly url: string
  /** The header that went out, `<protected>..<signature>`. */
  readonly signature: string
  /** Its first segment, decoded. */
  readonly protectedHeader: string
  /** All that were sent, as JSON: a list of names and values. Null in a row of an earlier version of the stub. */
  readonly requestHeaders: string | null
  /** The same of the answer; null also where there was none. */
  readonly responseHeaders: string | null
  readonly responseStatus: number | null
  readonly responseBody: string | null
  /** Why there was no answer. */
  readonly failure: string | null
  readonly nextAttemptAt: number | null
  /** What was broken about it on purpose. */
  readonly fault: string | null
}

/** The delivery queue and every attempt that was made. */
export function webhookTables(database: DatabaseSync, onDue: () => void) {
  const { get, all, count, change, run, insert } = statementsOf(database)
  const insertDelivery = insert<WebhookDeliveryRow>('webhookDeliveries')(
    'gameServerId',
    'transactionId',
    'event',
    'payload',
    'state',
    'attempts',
    'nextAttemptAt',
    'createdAt',
    'isHeld',
  )
  const firstAfter = get<{ at: number }, [afterMs: number]>(`
    select nextAttemptAt as at from webhookDeliveries
    where state = 'pending' and nextAttemptAt > ? and isHeld = 0 order by nextAttemptAt limit 1
  `)
  const reschedule = run<[id: number, attempts: number, nextAttemptAt: number]>(`
    update webhookDeliveries set state = 'pending', attempts = ?2, nextAttemptAt = ?3, closedAt = null, isHeld = 0
    where id = ?1
  `)
  const hold = change<[id: number, transactionId: number]>(`
    update webhookDeliveries set isHeld = 1 where id = ?1 and not exists (
      select 1 from webhookDeliveries
      where transactionId = ?2 and event = 'transaction_terminal' and state = 'acknowledged')
  `)
  const releaseHeld = change<[transactionId: number, at: number]>(`
    update webhookDeliveries set state = 'pending', nextAttemptAt = ?2, closedAt = null, isHeld = 0
    where transactionId = ?1 and isHeld = 1
  `)
  const releaseAllHeld = change<[]>('update webhookDeliveries set isHeld = 0 where isHeld = 1')
  const endOrders = run<[transactionId: number, at: number, attemptsMax: number]>(`
    update webhookDeliveries set state = 'ended', nextAttemptAt = null, closedAt = ?2
    where transactionId = ?1 and event = 'transfer_order' and state = 'pending' and attempts <= ?3
  `)
  return {
    insert(row: NewWebhookDelivery): void {
      insertDelivery({ ...row, state: 'pending', attempts: 0, isHeld: 0 })
      onDue()
    },
    byId: get<WebhookDeliveryRow, [id: number]>('select * from webhookDeliveries where id = ?'),
    /** A game server's deliveries whose time has come, earliest first. */
    due: all<WebhookDeliveryRow, [gameServerId: number, nowMs: number, count: number]>(`
      select * from webhookDeliveries
      where gameServerId = ? and state = 'pending' and nextAttemptAt <= ? and isHeld = 0
      order by nextAttemptAt, id limit ?
    `),
    /** When the first delivery after a moment is due; null where none is. */
    firstAfter: (afterMs: number): number | null => firstAfter(afterMs)?.at ?? null,
    /** Counts an attempt before it is sent, so that no other gets its number. @returns The number. */
    beginAttempt: count<[id: number]>(
      'update webhookDeliveries set attempts = attempts + 1 where id = ? returning attempts',
    ),
    /** Makes a delivery due later, unless it has ended. */
    putOff: run<[id: number, nextAttemptAt: number]>(
      "update webhookDeliveries set nextAttemptAt = ?2 where id = ?1 and state = 'pending'",
    ),
    reschedule(id: number, attempts: number, nextAttemptAt: number): void {
      reschedule(id, attempts, nextAttemptAt)
      onDue()
    },
    /**
     * Keeps a delivery from being due until the terminal of its transaction is acknowledged.
     *
     * @returns False where that has happened already: nothing would release it.
     */
    holdUntilTerminal: ({ id, transactionId }: WebhookDeliveryRow): boolean => hold(id, transactionId) > 0,
    /** A delivery that was held back is due now, even where it had ended meanwhile. */
    releaseHeld(transactionId: number, at: number): void {
      if (releaseHeld(transactionId, at) > 0) onDue()
    },
    /** Nothing is held back any more; what ended meanwhile stays ended. */
    releaseAllHeld(): void {
      if (releaseAllHeld() > 0) onDue()
    },
    close: run<[id: number, state: 'acknowledged' | 'ended', attempts: number, at: number]>(
      'update webhookDeliveries set state = ?2, attempts = ?3, nextAttemptAt = null, closedAt = ?4 where id = ?1',
    ),
    /** Ends the `transfer_order` deliveries of a transaction, and no others. */
    endOrders: (transactionId: number, at: number): void => endOrders(transactionId, at, Number.MAX_SAFE_INTEGER),
    /** The same, but only of those that were never sent. */
    endUnsentOrders: (transactionId: number, at: number): void => endOrders(transactionId, at, 0),
    newest: all<WebhookDeliveryRow, [count: number]>('select * from webhookDeliveries order by id desc limit ?'),
    newestOf: all<WebhookDeliveryRow, [transactionId: number, count: number]>(
      'select * from webhookDeliveries where transactionId = ? order by id desc limit ?',
    ),
    insertAttempt: insert<WebhookAttemptRow>('webhookAttempts')(
      'deliveryId',
      'number',
      'at',
      'durationMs',
      'url',
      'signature',
      'protectedHeader',
      'requestHeaders',
      'responseHeaders',
      'responseStatus',
      'responseBody',
      'failure',
      'nextAttemptAt',
      'fault',
    ),
    /**
     * A delivery's attempts, newest first: a receiver that stays down is tried without end, so they are read in parts.
     *
     * `before`: only those with a smaller id; null begins with the newest.
     */
    newestAttempts: all<WebhookAttemptRow, [deliveryId: number, before: number | null, count: number]>(`
      select * from webhookAttempts where deliveryId = ?1 and (?2 is null or id < ?2) order by id desc limit ?3
    `),
    /** How many there are, copies that a fault sent along included. */
    attemptCount: count<[deliveryId: number]>('select count(*) from webhookAttempts where deliveryId = ?'),
  }
}
