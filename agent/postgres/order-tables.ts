/** The orders of all agents. Columns repeat what is searched for: PostgreSQL reads no JSON text with a `\\u0000` in it. */
export const orderTables = `
  CREATE TABLE market_agent.orders (
    transaction_id bigint PRIMARY KEY,
    -- Whose game server gets it.
    world text NOT NULL,
    -- JSON, an Order of the agents.
    record text NOT NULL,
    phase text NOT NULL,
    item_ref text NOT NULL,
    -- Not a NaN, which PostgreSQL sorts after everything.
    received_at_ms double precision NOT NULL CHECK (received_at_ms <= 'infinity'),
    since_ms double precision NOT NULL CHECK (since_ms <= 'infinity')
  );
  CREATE INDEX orders_open ON market_agent.orders (world, received_at_ms, transaction_id)
    WHERE phase NOT IN ('ended', 'closed');
  CREATE INDEX orders_over ON market_agent.orders (world, since_ms, transaction_id) WHERE phase IN ('ended', 'closed');
  CREATE INDEX orders_by_item ON market_agent.orders (item_ref);

  CREATE TABLE market_agent.observation (
    item_ref text PRIMARY KEY,
    observed_quantity bigint NOT NULL
  );

  -- Begins a change of one transaction: no other agent changes it before this one has ended. Returns its record.
  CREATE FUNCTION market_agent.lock_order(p_epoch bigint, p_transaction_id bigint) RETURNS text LANGUAGE plpgsql AS $$
    BEGIN
      PERFORM market_agent.assert_alive(p_epoch);
      PERFORM pg_advisory_xact_lock(1835758595, hashint8(p_transaction_id));
      RETURN (SELECT record FROM market_agent.orders WHERE transaction_id = p_transaction_id);
    END $$;

  -- Observations are kept for items of which there are orders.
  CREATE FUNCTION market_agent.observe(p_item_ref text, p_observed_quantity bigint) RETURNS void LANGUAGE sql AS $$
    INSERT INTO market_agent.observation
      SELECT p_item_ref, p_observed_quantity WHERE EXISTS (SELECT FROM market_agent.orders WHERE item_ref = p_item_ref)
      ON CONFLICT (item_ref) DO UPDATE SET observed_quantity = p_observed_quantity;
  $$;
`
