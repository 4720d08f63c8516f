/** The orders of all agents. Columns repeat what is searched for: PostgreSQL reads no JSON text with a `\\u0000` in it. */
export const orderTables = `
  CREATE TABLE market_agent.orders (
    transaction_id bigint PRIMARY KEY,
    -- Whose game server gets it.
    world text NOT NULL,
    -- The life of the agent that hands it over; null for none yet. One that is over hands nothing over.
    epoch bigint,
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
  CREATE INDEX orders_to_hand_over ON market_agent.orders (world) WHERE phase <> 'closed';
  CREATE INDEX orders_over ON market_agent.orders (world, since_ms, transaction_id) WHERE phase IN ('ended', 'closed');
  CREATE INDEX orders_by_item ON market_agent.orders (item_ref);

  CREATE TABLE market_agent.observation (
    item_ref text PRIMARY KEY,
    observed_quantity bigint NOT NULL
  );

  -- The world through which each item was registered. An item is here before its registration leaves.
  CREATE TABLE market_agent.item (
    item_ref text PRIMARY KEY,
    world text NOT NULL,
    is_accepted boolean NOT NULL
  );

  -- A registration that was never accepted gives way to that of another world.
  CREATE FUNCTION market_agent.note_listing(p_epoch bigint, p_item_ref text, p_is_accepted boolean) RETURNS void
    LANGUAGE plpgsql AS $$
    BEGIN
      PERFORM market_agent.assert_alive(p_epoch);
      INSERT INTO market_agent.item AS known
        VALUES (p_item_ref, (SELECT world FROM market_agent.agent WHERE epoch = p_epoch), p_is_accepted)
        ON CONFLICT (item_ref) DO UPDATE SET world = excluded.world, is_accepted = excluded.is_accepted
          WHERE excluded.is_accepted OR NOT known.is_accepted;
    END $$;

  -- Begins a change of one transaction: no other agent changes it before this one has ended.
  CREATE FUNCTION market_agent.lock_order(p_epoch bigint, p_transaction_id bigint)
    RETURNS SETOF market_agent.orders LANGUAGE plpgsql AS $$
    BEGIN
      PERFORM market_agent.assert_alive(p_epoch);
      PERFORM pg_advisory_xact_lock(1835758595, hashint8(p_transaction_id));
      RETURN QUERY SELECT * FROM market_agent.orders WHERE transaction_id = p_transaction_id;
    END $$;

  -- The world that an order belongs to.
  CREATE FUNCTION market_agent.world_of(p_epoch bigint, p_transaction_id bigint, p_item_ref text) RETURNS text
    LANGUAGE sql AS $$
    SELECT coalesce((SELECT world FROM market_agent.orders WHERE transaction_id = p_transaction_id),
                    (SELECT world FROM market_agent.item WHERE item_ref = p_item_ref),
                    (SELECT world FROM market_agent.agent WHERE epoch = p_epoch));
  $$;

  -- When the newest end in the world of an order was, Unix ms. No other order of that world ends before this one has.
  CREATE FUNCTION market_agent.newest_end(p_epoch bigint, p_transaction_id bigint, p_item_ref text)
    RETURNS double precision LANGUAGE plpgsql AS $$
    DECLARE v_world text := market_agent.world_of(p_epoch, p_transaction_id, p_item_ref);
    BEGIN
      PERFORM pg_advisory_xact_lock(1835758596, hashtext(v_world));
      RETURN (SELECT max(since_ms) FROM market_agent.orders WHERE world = v_world AND phase IN ('ended', 'closed'));
    END $$;

  -- Writes an order, in the world of its item. An agent of that world hands it over, and stays the one while it lives.
  CREATE FUNCTION market_agent.put_order(p_epoch bigint, p_transaction_id bigint, p_record text, p_phase text,
    p_item_ref text, p_received_at_ms double precision, p_since_ms double precision) RETURNS market_agent.orders
    LANGUAGE plpgsql AS $$
    DECLARE
      v_own_world text := (SELECT world FROM market_agent.agent WHERE epoch = p_epoch);
      v_world text := market_agent.world_of(p_epoch, p_transaction_id, p_item_ref);
      v_epoch bigint := CASE WHEN v_world = v_own_world THEN p_epoch END;
      v market_agent.orders;
    BEGIN
      INSERT INTO market_agent.orders AS known
        VALUES (p_transaction_id, v_world, v_epoch, p_record, p_phase, p_item_ref, p_received_at_ms, p_since_ms)
        ON CONFLICT (transaction_id) DO UPDATE
          SET record = p_record, phase = p_phase, item_ref = p_item_ref, received_at_ms = p_received_at_ms,
              since_ms = p_since_ms,
              epoch = coalesce((SELECT epoch FROM market_agent.agent WHERE epoch = known.epoch),
                               CASE WHEN known.world = v_own_world THEN p_epoch END)
        RETURNING * INTO v;
      PERFORM pg_notify('market_agent', 'order ' || p_transaction_id || ' ' || p_epoch);
      RETURN v;
    END $$;

  -- Removes what was closed before a moment, and the observations of items without orders. Returns the transactions.
  CREATE FUNCTION market_agent.remove_closed(p_epoch bigint, p_before_ms double precision) RETURNS SETOF bigint
    LANGUAGE plpgsql AS $$
    BEGIN
      PERFORM market_agent.assert_alive(p_epoch);
      RETURN QUERY
        DELETE FROM market_agent.orders WHERE transaction_id IN (
          SELECT transaction_id FROM market_agent.orders
            WHERE world = (SELECT world FROM market_agent.agent WHERE epoch = p_epoch)
              AND phase = 'closed' AND since_ms < p_before_ms
            FOR UPDATE SKIP LOCKED)
          RETURNING transaction_id;
      IF FOUND THEN
        DELETE FROM market_agent.observation WHERE item_ref IN (
          SELECT item_ref FROM market_agent.observation AS known
            WHERE NOT EXISTS (SELECT FROM market_agent.orders WHERE item_ref = known.item_ref)
            FOR UPDATE SKIP LOCKED);
      END IF;
    END $$;

  CREATE FUNCTION market_agent.remove_order(p_epoch bigint, p_transaction_id bigint) RETURNS void LANGUAGE sql AS $$
    DELETE FROM market_agent.orders WHERE transaction_id = p_transaction_id;
    SELECT pg_notify('market_agent', 'order ' || p_transaction_id || ' ' || p_epoch);
  $$;

  -- Takes the orders of an agent's world that no living agent hands over. Returns them.
  CREATE FUNCTION market_agent.adopt(p_epoch bigint) RETURNS SETOF text LANGUAGE plpgsql AS $$
    BEGIN
      PERFORM market_agent.assert_alive(p_epoch);
      RETURN QUERY
        UPDATE market_agent.orders SET epoch = p_epoch WHERE transaction_id IN (
          SELECT transaction_id FROM market_agent.orders AS known
            WHERE world = (SELECT world FROM market_agent.agent WHERE epoch = p_epoch) AND phase <> 'closed'
              AND NOT EXISTS (SELECT FROM market_agent.agent WHERE epoch = known.epoch)
            FOR UPDATE SKIP LOCKED)
          RETURNING record;
    END $$;

  -- Observations are kept for items of which there are orders.
  CREATE FUNCTION market_agent.note_observation(p_item_ref text, p_observed_quantity bigint) RETURNS void LANGUAGE sql AS $$
    INSERT INTO market_agent.observation
      SELECT p_item_ref, p_observed_quantity WHERE EXISTS (SELECT FROM market_agent.orders WHERE item_ref = p_item_ref)
      ON CONFLICT (item_ref) DO UPDATE SET observed_quantity = p_observed_quantity;
  $$;

  -- A stock that comes with a call.
  CREATE FUNCTION market_agent.observe_item(p_epoch bigint, p_item_ref text, p_observed_quantity bigint) RETURNS void
    LANGUAGE sql AS $$
    SELECT market_agent.assert_alive(p_epoch);
    SELECT market_agent.wait_for_no_disk();
    SELECT market_agent.note_observation(p_item_ref, p_observed_quantity);
  $$;
`
