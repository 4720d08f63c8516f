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

  -- What state directories held when they were moved here: a hash of each.
  CREATE TABLE market_agent.moved (content text PRIMARY KEY);

  -- The worlds that registered each item. A row is here before its registration leaves.
  CREATE TABLE market_agent.item (
    item_ref text,
    world text,
    is_accepted boolean NOT NULL,
    -- How many registrations of this world have left.
    registrations bigint NOT NULL DEFAULT 1,
    number bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
    PRIMARY KEY (item_ref, world)
  );

  -- The world that an item belongs to: the accepted one, else the first.
  CREATE FUNCTION market_agent.world_of_item(p_item_ref text) RETURNS text LANGUAGE sql STABLE
    BEGIN ATOMIC
      SELECT world FROM market_agent.item WHERE item_ref = p_item_ref ORDER BY is_accepted DESC, number LIMIT 1;
    END;

  -- Notes a registration that leaves ('leaving'), or its end: 'accepted', or 'refused' for the first one of this world.
  -- Returns whether it is the first. An item whose registration was accepted belongs only to that world. An end that is
  -- noted after an outage ('accepted-before') does not take the item from a world that has removed the row of its
  -- beginning. A refused one says nothing about those that left after it, such as one that a game client carries.
  CREATE FUNCTION market_agent.note_listing(p_epoch bigint, p_item_ref text, p_state text) RETURNS boolean
    LANGUAGE plpgsql AS $$
    DECLARE
      v_world text;
      v_is_accepted boolean := p_state IN ('accepted', 'accepted-before');
      v_is_first boolean;
    BEGIN
      PERFORM market_agent.assert_alive(p_epoch);
      PERFORM market_agent.lock_key(p_item_ref);
      SELECT world INTO v_world FROM market_agent.agent WHERE epoch = p_epoch;
      IF p_state = 'accepted-before'
        AND NOT EXISTS (SELECT FROM market_agent.item WHERE item_ref = p_item_ref AND world = v_world)
        AND EXISTS (SELECT FROM market_agent.item WHERE item_ref = p_item_ref AND is_accepted) THEN
        RETURN false;
      END IF;
      IF p_state = 'refused' THEN
        DELETE FROM market_agent.item
          WHERE item_ref = p_item_ref AND world = v_world AND NOT is_accepted AND registrations = 1;
        RETURN false;
      END IF;
      IF v_is_accepted THEN
        DELETE FROM market_agent.item WHERE item_ref = p_item_ref AND (world <> v_world OR NOT is_accepted);
      END IF;
      INSERT INTO market_agent.item AS known (item_ref, world, is_accepted)
        VALUES (p_item_ref, v_world, v_is_accepted)
        ON CONFLICT (item_ref, world) DO UPDATE SET registrations = known.registrations + 1
        RETURNING registrations = 1 INTO v_is_first;
      RETURN v_is_first;
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
                    market_agent.world_of_item(p_item_ref),
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
      -- No stock of an item is noted while it has no order, so the noted one is old.
      DELETE FROM market_agent.observation
        WHERE item_ref = p_item_ref AND NOT EXISTS (SELECT FROM market_agent.orders WHERE item_ref = p_item_ref);
      INSERT INTO market_agent.orders AS known
        (transaction_id, world, epoch, record, phase, item_ref, received_at_ms, since_ms)
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

  -- Removes some of what was closed before a moment, with the observations of its items. Returns the transactions, until
  -- there are no more. Then it removes observations of items whose orders are gone for another reason.
  CREATE FUNCTION market_agent.remove_closed(p_epoch bigint, p_before_ms double precision) RETURNS SETOF bigint
    LANGUAGE plpgsql AS $$
    DECLARE
      v_transaction_ids bigint[];
      v_item_refs text[];
    BEGIN
      PERFORM market_agent.assert_alive(p_epoch);
      WITH removed AS (
        DELETE FROM market_agent.orders WHERE transaction_id IN (
          SELECT transaction_id FROM market_agent.orders
            WHERE world = (SELECT world FROM market_agent.agent WHERE epoch = p_epoch)
              AND phase = 'closed' AND since_ms < p_before_ms
            ORDER BY since_ms LIMIT 1000
            FOR UPDATE SKIP LOCKED)
          RETURNING transaction_id, item_ref)
        SELECT array_agg(transaction_id), array_agg(DISTINCT item_ref) INTO v_transaction_ids, v_item_refs FROM removed;
      DELETE FROM market_agent.observation WHERE item_ref IN (
        SELECT item_ref FROM market_agent.observation AS known
          WHERE (item_ref = ANY (v_item_refs) OR v_item_refs IS NULL)
            AND NOT EXISTS (SELECT FROM market_agent.orders WHERE item_ref = known.item_ref)
          LIMIT 1000
          FOR UPDATE SKIP LOCKED);
      RETURN QUERY SELECT unnest(v_transaction_ids);
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

  -- The version of an observation that is made now.
  CREATE FUNCTION market_agent.draw_version() RETURNS bigint LANGUAGE sql
    RETURN nextval('market_agent.observation_version_seq');

  -- Observations are kept for items of which there are orders. Returns whether no newer one is known.
  CREATE FUNCTION market_agent.note_observation(p_item_ref text, p_observed_quantity bigint, p_version bigint)
    RETURNS boolean LANGUAGE sql AS $$
    INSERT INTO market_agent.observation AS known (item_ref, observed_quantity, version)
      SELECT p_item_ref, p_observed_quantity, p_version
        WHERE EXISTS (SELECT FROM market_agent.orders WHERE item_ref = p_item_ref)
      ON CONFLICT (item_ref) DO UPDATE SET observed_quantity = excluded.observed_quantity, version = excluded.version
        WHERE known.version < excluded.version;
    SELECT NOT EXISTS (SELECT FROM market_agent.observation WHERE item_ref = p_item_ref AND version > p_version);
  $$;

  -- A stock that comes with a call. One that is noted survives a power cut: the game server does not say it again.
  CREATE FUNCTION market_agent.observe_item(p_epoch bigint, p_item_ref text, p_observed_quantity bigint,
    p_version bigint) RETURNS boolean LANGUAGE sql AS $$
    SELECT market_agent.assert_alive(p_epoch);
    SELECT market_agent.wait_for_no_disk()
      WHERE NOT EXISTS (SELECT FROM market_agent.orders WHERE item_ref = p_item_ref);
    SELECT market_agent.note_observation(p_item_ref, p_observed_quantity, p_version);
  $$;
`
