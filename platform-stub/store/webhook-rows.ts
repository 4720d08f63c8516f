import type { DatabaseSync } from 'node:sqlite'
import type { WebhookEvent } from '../../contract/events.ts'

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

/** A delivery before its first attempt, which `nextAttemptAt` says the time of. */
export type NewWebhookDelivery = Pick<
  WebhookDeliveryRow,
  'gameServerId' | 'transactionId' | 'event' | 'payload' | 'createdAt'
> & { readonly nextAttemptAt: number }

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
  readonly responseStatus: number | null
  readonly responseBody: string | null
  /** Why there was no answer. */
  readonly failure: string | null
  readonly nextAttemptAt: number | null
  /** What was broken about it on purpose. */
  readonly fault: string | null
}

/** The delivery queue and every attempt that was made. */
export function webhookTables(database: DatabaseSync, somethingIsDue: () => void) {
  const insert = database.prepare(`
    insert into webhookDeliveries (gameServerId, transactionId, event, payload, state, attempts, nextAttemptAt, createdAt)
    values (?, ?, ?, ?, 'pending', 0, ?, ?)
  `)
  const byId = database.prepare('select * from webhookDeliveries where id = ?')
  const due = database.prepare(`
    select * from webhookDeliveries where gameServerId = ? and state = 'pending' and nextAttemptAt <= ? and isHeld = 0
    order by nextAttemptAt, id limit ?
  `)
  const firstAfter = database.prepare(`
    select nextAttemptAt as at from webhookDeliveries
    where state = 'pending' and nextAttemptAt > ? and isHeld = 0 order by nextAttemptAt limit 1
  `)
  const begin = database.prepare('update webhookDeliveries set attempts = attempts + 1 where id = ? returning attempts')
  const reschedule = database.prepare(
    `update webhookDeliveries set state = 'pending', attempts = ?, nextAttemptAt = ?, closedAt = null, isHeld = 0 where id = ?`,
  )
  const hold = database.prepare('update webhookDeliveries set isHeld = 1 where id = ?')
  const releaseHeld = database.prepare(`
    update webhookDeliveries set state = 'pending', nextAttemptAt = ?, closedAt = null, isHeld = 0
    where transactionId = ? and isHeld = 1
  `)
  const releaseAllHeld = database.prepare('update webhookDeliveries set isHeld = 0 where isHeld = 1')
  const close = database.prepare(
    'update webhookDeliveries set state = ?, attempts = ?, nextAttemptAt = null, closedAt = ? where id = ?',
  )
  const endOrders = database.prepare(`
    update webhookDeliveries set state = 'ended', nextAttemptAt = null, closedAt = ?
    where transactionId = ? and event = 'transfer_order' and state = 'pending' and attempts <= ?
  `)
  const newest = database.prepare('select * from webhookDeliveries order by id desc limit ?')
  const newestOf = database.prepare('select * from webhookDeliveries where transactionId = ? order by id desc limit ?')
  const terminalAcknowledged = database.prepare(`
    select 1 from webhookDeliveries where transactionId = ? and event = 'transaction_terminal' and state = 'acknowledged'
  `)
  const insertAttempt = database.prepare(`
    insert into webhookAttempts (deliveryId, number, at, durationMs, url, signature, protectedHeader, responseStatus,
      responseBody, failure, nextAttemptAt, fault)
    values (:deliveryId, :number, :at, :durationMs, :url, :signature, :protectedHeader, :responseStatus,
      :responseBody, :failure, :nextAttemptAt, :fault)
  `)
  const newestAttempts = database.prepare(`
    select * from webhookAttempts where deliveryId = :deliveryId and (:before is null or id < :before)
    order by id desc limit :count
  `)
  const attemptCount = database.prepare('select count(*) as count from webhookAttempts where deliveryId = ?')
  return {
    insert(row: NewWebhookDelivery): void {
      insert.run(row.gameServerId, row.transactionId, row.event, row.payload, row.nextAttemptAt, row.createdAt)
      somethingIsDue()
    },
    byId: (id: number) => byId.get(id) as unknown as WebhookDeliveryRow | undefined,
    /** A game server's deliveries whose time has come, earliest first. */
    due: (gameServerId: number, nowMs: number, count: number) =>
      due.all(gameServerId, nowMs, count) as unknown as WebhookDeliveryRow[],
    /** When the first delivery after a moment is due; null where none is. */
    firstAfter: (afterMs: number) => (firstAfter.get(afterMs)?.['at'] ?? null) as number | null,
    /** Counts an attempt before it is sent, so that no other gets its number. @returns The number. */
    beginAttempt: (id: number): number => Number(begin.get(id)?.['attempts']),
    reschedule(id: number, attempts: number, nextAttemptAt: number): void {
      reschedule.run(attempts, nextAttemptAt, id)
      somethingIsDue()
    },
    /**
     * Keeps a delivery from being due until the terminal of its transaction is acknowledged.
     *
     * @returns False where that has happened already: nothing would release it.
     */
    holdUntilTerminal({ id, transactionId }: WebhookDeliveryRow): boolean {
      if (terminalAcknowledged.get(transactionId)) return false
      hold.run(id)
      return true
    },
    /** What was held back of a transaction is due now, whatever ended it meanwhile. */
    releaseHeld(transactionId: number, at: number): void {
      if (releaseHeld.run(at, transactionId).changes > 0) somethingIsDue()
    },
    /** Nothing is held back any more; what ended meanwhile stays ended. */
    releaseAllHeld(): void {
      if (releaseAllHeld.run().changes > 0) somethingIsDue()
    },
    close: (id: number, state: 'acknowledged' | 'ended', attempts: number, at: number): void =>
      void close.run(state, attempts, at, id),
    /** Ends the `transfer_order` deliveries of a transaction, and those alone. */
    endOrders: (transactionId: number, at: number): void =>
      void endOrders.run(at, transactionId, Number.MAX_SAFE_INTEGER),
    /** The same, but only of those that were never sent. */
    endUnsentOrders: (transactionId: number, at: number): void => void endOrders.run(at, transactionId, 0),
    newest: (count: number) => newest.all(count) as unknown as WebhookDeliveryRow[],
    newestOf: (transactionId: number, count: number) =>
      newestOf.all(transactionId, count) as unknown as WebhookDeliveryRow[],
    insertAttempt: (row: Omit<WebhookAttemptRow, 'id'>): void => void insertAttempt.run({ ...row }),
    /**
     * A delivery's attempts, newest first: a receiver that stays down is tried without end, so they are read in parts.
     *
     * @param before Only those with a smaller id; null begins with the newest.
     */
    newestAttempts: (deliveryId: number, before: number | null, count: number) =>
      newestAttempts.all({ deliveryId, before, count }) as unknown as WebhookAttemptRow[],
    /** How many there are, copies that a fault sent along included. */
    attemptCount: (deliveryId: number): number => Number(attemptCount.get(deliveryId)?.['count']),
  }
}
