import type { DatabaseSync } from 'node:sqlite'
import { statementsOf } from './statements.ts'
import type { WebhookAttemptRow, WebhookDeliveryRow } from './webhook-rows.ts'

/** A webhook that was sent once, by hand, with its answer. It is in no queue and decides nothing. */
export interface OneOffRow
  extends Pick<WebhookDeliveryRow, 'id' | 'gameServerId' | 'event' | 'payload'>,
    Omit<WebhookAttemptRow, 'id' | 'deliveryId' | 'number' | 'nextAttemptAt' | 'fault'> {
  /** The delivery whose payload it repeated; null for a test event. */
  readonly deliveryId: number | null
}

/** The webhooks that were sent once, by hand. */
export function oneOffTable(database: DatabaseSync) {
  const { get, all, insert, nextId } = statementsOf(database)
  return {
    /** The id that the next one gets. */
    nextId: nextId('oneOffWebhooks'),
    insert: insert<OneOffRow>('oneOffWebhooks')(
      'id',
      'gameServerId',
      'deliveryId',
      'event',
      'payload',
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
    ),
    byId: get<OneOffRow, [id: number]>('select * from oneOffWebhooks where id = ?'),
    /** The newest that repeated a delivery. */
    ofDelivery: all<OneOffRow, [deliveryId: number, count: number]>(
      'select * from oneOffWebhooks where deliveryId = ? order by id desc limit ?',
    ),
    /** The newest test events of a game server. */
    testEventsOf: all<OneOffRow, [gameServerId: number, count: number]>(
      'select * from oneOffWebhooks where deliveryId is null and gameServerId = ? order by id desc limit ?',
    ),
  }
}
