/** Version 1 had no results, and kept the observation of an item in each of its orders. This makes a version 2 of it. */
const version2Of1 = `
  DROP INDEX orders_by_phase;
  ALTER TABLE orders ADD COLUMN is_unacknowledged INTEGER;
  ALTER TABLE orders ADD COLUMN result TEXT;
  ALTER TABLE orders ADD COLUMN detail TEXT;
  ALTER TABLE orders ADD COLUMN is_temporary_left INTEGER;
  ALTER TABLE orders ADD COLUMN unknown_since_ms REAL;
  ALTER TABLE orders ADD COLUMN reported TEXT;
  UPDATE orders SET is_unacknowledged = phase IN ('offered', 'taken'), phase = CASE phase
    WHEN 'acknowledged' THEN 'taken' WHEN 'offered-again' THEN 'offered' WHEN 'lost' THEN 'closed' ELSE phase END;
  CREATE TABLE observations (item_ref TEXT PRIMARY KEY, observed_quantity INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  INSERT OR REPLACE INTO observations
    SELECT item_ref, observed_quantity FROM orders WHERE observed_quantity IS NOT NULL;
`

/** SQL that takes over a ledger of an earlier version. Version 2 had a column for each field. */
export function takeOverEarlierLedger(version: number, schema: string, schemaVersion: number): string {
  return `
  BEGIN IMMEDIATE;
  ${version === 1 ? version2Of1 : 'DROP INDEX orders_open; DROP INDEX orders_closed; DROP INDEX orders_unconfirmed;'}
  DROP INDEX orders_by_item;
  ALTER TABLE orders RENAME TO older_orders;
  ${schema}
  INSERT INTO orders (transaction_id, record)
    SELECT transaction_id, json_object(
      'transactionId', transaction_id, 'itemRef', item_ref, 'orderText', order_text,
      'phase', iif(phase = 'closed' AND end_text IS NOT NULL AND is_end_confirmed = 0, 'ended', phase),
      'generation', generation,
      'lastTransfer', CASE WHEN is_temporary_left THEN 'put-off' WHEN is_unacknowledged THEN 'unacknowledged' ELSE 'acknowledged' END,
      'receivedAtMs', received_at_ms, 'sinceMs', since_ms, 'offers', offers, 'retryAtMs', retry_at_ms,
      'result', result, 'detail', detail, 'unknownSinceMs', unknown_since_ms,
      'reported', reported, 'outcome', outcome, 'terminalText', end_text)
    FROM older_orders;
  DROP TABLE older_orders;
  PRAGMA user_version = ${schemaVersion};
  COMMIT;
`
}
