/** The agents that share the store: who is alive, and how another one takes over from one that is not. */
export const agentTables = `
  CREATE SEQUENCE market_agent.epochs;

  -- The agents that are alive, or whose end nobody has noticed yet. An epoch is one life of an agent.
  CREATE TABLE market_agent.agent (
    name text PRIMARY KEY,
    epoch bigint NOT NULL UNIQUE,
    -- Of the state directory and the running system. Its lock proves that the process before is dead.
    state_id text NOT NULL,
    -- Only of the state directory.
    state_dir_id text NOT NULL,
    world text NOT NULL,
    -- The name of its only connection that may write.
    connection text NOT NULL,
    lease_ends_ms bigint NOT NULL,
    -- It got its time to be heard after a break, and has not been heard since.
    is_granted boolean NOT NULL DEFAULT false,
    -- For how long an attempt may reach the platform after it began.
    attempt_lifetime_ms bigint NOT NULL
  );

  -- The agents that have said what they have since the server crashed or a replica took its place. Each of these empties the
  -- table, and may lose the last commits for which nobody waited.
  CREATE UNLOGGED TABLE market_agent.present (epoch bigint PRIMARY KEY);

  -- Whether every agent that is alive has said what it has. Before that nobody knows who has a turn.
  CREATE FUNCTION market_agent.is_complete() RETURNS boolean LANGUAGE sql STABLE
    BEGIN ATOMIC
      SELECT NOT EXISTS (SELECT FROM market_agent.agent WHERE epoch NOT IN (SELECT epoch FROM market_agent.present));
    END;

  -- Every function takes locks in this order, so none waits for another one in a circle: the lives, one epoch, the key of
  -- a turn or a transaction, a world, the row of the store, other rows. The first is for everything that begins a life or
  -- ends one.
  CREATE FUNCTION market_agent.lock_lives() RETURNS void LANGUAGE sql
    BEGIN ATOMIC SELECT pg_advisory_xact_lock(1835758594, 0); END;

  -- The connection of the agent to which this session belongs.
  CREATE FUNCTION market_agent.connection() RETURNS text LANGUAGE sql
    RETURN current_setting('market_agent.connection');

  CREATE FUNCTION market_agent.raise_over(p_epoch bigint) RETURNS void LANGUAGE plpgsql AS $$
    BEGIN RAISE 'epoch % is over', p_epoch USING ERRCODE = 'MA001'; END $$;

  -- The first step of each write. Returns the state directory of the agent. An agent whose epoch is over must write
  -- nothing, because another one has decided what became of its calls. The same is true of a connection that the agent
  -- has given up: the network may deliver a statement after the agent has repeated it. The lock makes a takeover and a
  -- reconnection wait for writes that have begun.
  CREATE FUNCTION market_agent.assert_alive(p_epoch bigint) RETURNS text LANGUAGE plpgsql AS $$
    DECLARE v market_agent.agent;
    BEGIN
      PERFORM pg_advisory_xact_lock_shared(1835758593, p_epoch::integer);
      SELECT * INTO v FROM market_agent.agent WHERE epoch = p_epoch;
      IF NOT FOUND THEN
        PERFORM market_agent.raise_over(p_epoch);
      END IF;
      IF v.connection <> market_agent.connection() THEN
        RAISE 'epoch % has another connection now', p_epoch USING ERRCODE = 'MA002';
      END IF;
      RETURN v.state_dir_id;
    END $$;

  -- From now on only this connection of an agent may write. The store may have lost commits of the agent, so it says what
  -- it has: the keys whose turn it has or has not given back yet, and the ids of its calls. Its other tickets are
  -- removed: it has given them back, or waits and joins again. Its other calls have ended. A call in doubt stays, because
  -- the commit of its end waits for the disk. Where the beginning of its life was lost, another life may have its epoch.
  CREATE FUNCTION market_agent.reconnect(p_epoch bigint, p_state_id text, p_turns text[], p_ids text[])
    RETURNS void LANGUAGE plpgsql AS $$
    DECLARE v_lost text[];
    BEGIN
      PERFORM pg_advisory_xact_lock(1835758593, p_epoch::integer);
      -- Before other rows, as everything does that waits for many of them.
      PERFORM FROM market_agent.store FOR UPDATE;
      UPDATE market_agent.agent SET connection = market_agent.connection() WHERE epoch = p_epoch AND state_id = p_state_id;
      IF NOT FOUND THEN PERFORM market_agent.raise_over(p_epoch); END IF;
      v_lost := ARRAY(SELECT key FROM market_agent.ticket WHERE epoch = p_epoch AND key <> ALL (p_turns));
      IF v_lost <> '{}' THEN
        -- The call of such a ticket may have crossed a report. With another version, the end of the report sees that.
        UPDATE market_agent.repair SET version = DEFAULT WHERE quantity IS NULL AND key = ANY (v_lost);
        DELETE FROM market_agent.ticket WHERE epoch = p_epoch AND key = ANY (v_lost);
      END IF;
      DELETE FROM market_agent.call WHERE epoch = p_epoch AND NOT in_doubt AND id <> ALL (p_ids);
      -- Before those that wait.
      INSERT INTO market_agent.ticket (key, epoch, number) OVERRIDING SYSTEM VALUE
        SELECT had, p_epoch, coalesce((SELECT min(number) - 1 FROM market_agent.ticket WHERE key = had), 0)
          FROM unnest(p_turns) AS had
        ON CONFLICT DO NOTHING;
      INSERT INTO market_agent.present (epoch) VALUES (p_epoch) ON CONFLICT DO NOTHING;
    END $$;

  -- Ends an epoch. Calls that may have been sent are in doubt, all others can be made again. Attempts in the turn of an
  -- item may still arrive or have arrived, so its newest observation is sent again when they cannot.
  CREATE FUNCTION market_agent.end_epoch(p_epoch bigint, p_in_doubt text) RETURNS void
    LANGUAGE plpgsql AS $$
    DECLARE
      v market_agent.agent;
      v_late_until_ms bigint;
    BEGIN
      PERFORM market_agent.lock_lives();
      PERFORM pg_advisory_xact_lock(1835758593, p_epoch::integer);
      PERFORM FROM market_agent.store FOR UPDATE;
      SELECT * INTO v FROM market_agent.agent WHERE epoch = p_epoch;
      IF NOT FOUND THEN RETURN; END IF;
      v_late_until_ms := greatest(market_agent.steady_ms(), v.lease_ends_ms) + v.attempt_lifetime_ms;
      IF NOT EXISTS (SELECT FROM market_agent.present WHERE epoch = p_epoch) THEN
        UPDATE market_agent.store SET late_until_ms = greatest(late_until_ms, v_late_until_ms);
      END IF;
      DELETE FROM market_agent.agent WHERE epoch = p_epoch;
      DELETE FROM market_agent.present WHERE epoch = p_epoch;
      UPDATE market_agent.call
        SET answer = p_in_doubt, ends_at_ms = market_agent.now_ms() + 600000, epoch = NULL, in_doubt = false
        WHERE epoch = p_epoch AND in_doubt;
      DELETE FROM market_agent.call WHERE epoch = p_epoch;
      INSERT INTO market_agent.repair AS known (key, quantity, due_at_ms)
        SELECT key, market_agent.newest_of(key), v_late_until_ms
          FROM market_agent.ticket WHERE epoch = p_epoch AND starts_with(key, 'itemRef ')
        ON CONFLICT (key) DO UPDATE
          SET quantity = coalesce(known.quantity, excluded.quantity),
            due_at_ms = greatest(known.due_at_ms, excluded.due_at_ms), version = excluded.version;
      PERFORM pg_notify('market_agent', 'key ' || key) FROM market_agent.ticket WHERE epoch = p_epoch;
      DELETE FROM market_agent.ticket WHERE epoch = p_epoch;
      PERFORM pg_notify('market_agent', 'ended');
    END $$;

  -- Whether the agents were heard without a break: each renews its lease every 3 s. After a break the store was away or its
  -- clock was set. Then a lease that has run out says nothing about its agent.
  CREATE FUNCTION market_agent.is_steady() RETURNS boolean LANGUAGE sql
    BEGIN ATOMIC SELECT market_agent.now_ms() - heard_ms BETWEEN 0 AND 6000 FROM market_agent.store; END;

  -- The time of what may arrive late. It waits in a break, because only a clock that was set may have passed.
  CREATE FUNCTION market_agent.steady_ms() RETURNS bigint LANGUAGE sql
    BEGIN ATOMIC
      SELECT CASE WHEN market_agent.is_steady() THEN market_agent.now_ms() ELSE heard_ms END FROM market_agent.store;
    END;

  -- Notes that an agent was heard. After a break every agent has one lease of time to be heard too, but not again before
  -- it was: agents that look rarely make breaks themselves. What was not yet due keeps its rest. No window of an id gets
  -- longer when the clock was set back.
  CREATE FUNCTION market_agent.hear() RETURNS void LANGUAGE plpgsql AS $$
    DECLARE v_break_ms bigint;
    BEGIN
      SELECT market_agent.now_ms() - heard_ms INTO v_break_ms FROM market_agent.store FOR UPDATE;
      IF NOT market_agent.is_steady() THEN
        UPDATE market_agent.repair SET due_at_ms = due_at_ms + v_break_ms
          WHERE v_break_ms < 0 OR due_at_ms > (SELECT heard_ms FROM market_agent.store);
        IF v_break_ms < 0 THEN
          UPDATE market_agent.call SET ends_at_ms = ends_at_ms + v_break_ms WHERE epoch IS NULL;
        END IF;
        UPDATE market_agent.store SET late_until_ms = late_until_ms + v_break_ms
          WHERE v_break_ms < 0 OR late_until_ms > heard_ms;
        UPDATE market_agent.agent SET is_granted = true, lease_ends_ms =
          least(market_agent.now_ms() + 15000, CASE WHEN is_granted THEN lease_ends_ms END);
      END IF;
      UPDATE market_agent.store SET heard_ms = market_agent.now_ms();
    END $$;

  -- Begins the life of an agent. There is no epoch while another one is alive that has its name, or its world where it
  -- stands by: the holder, for at least so long. p_before is the epoch that the name had when the agent looked, so that a
  -- late statement of a process that has ended does not end the life of the next one. Without a holder, look again.
  CREATE FUNCTION market_agent.begin_epoch(p_name text, p_state_id text, p_state_dir_id text, p_world text,
    p_is_standby boolean, p_lifetime_ms bigint, p_in_doubt text, p_before bigint)
    RETURNS TABLE (epoch bigint, holder text, held_for_ms bigint) LANGUAGE plpgsql AS $$
    #variable_conflict use_column
    DECLARE v market_agent.agent;
    BEGIN
      -- Of two that stand by, one begins.
      IF NOT market_agent.is_steady() THEN RETURN; END IF;
      PERFORM market_agent.lock_lives();
      SELECT * INTO v FROM market_agent.agent
        WHERE lease_ends_ms > market_agent.now_ms() AND (name <> p_name OR state_id <> p_state_id)
          AND (name = p_name OR p_is_standby AND world = p_world)
        ORDER BY lease_ends_ms DESC LIMIT 1;
      IF FOUND THEN
        RETURN QUERY SELECT NULL::bigint, v.name, v.lease_ends_ms - market_agent.now_ms();
        RETURN;
      END IF;
      SELECT * INTO v FROM market_agent.agent WHERE name = p_name;
      IF v.epoch IS DISTINCT FROM p_before THEN RETURN; END IF;
      PERFORM market_agent.end_epoch(v.epoch, p_in_doubt);
      INSERT INTO market_agent.agent
        (name, epoch, state_id, state_dir_id, world, connection, lease_ends_ms, attempt_lifetime_ms)
        VALUES (p_name, nextval('market_agent.epochs'), p_state_id, p_state_dir_id, p_world, market_agent.connection(),
          market_agent.now_ms() + 15000, p_lifetime_ms)
        RETURNING * INTO v;
      INSERT INTO market_agent.present (epoch) VALUES (v.epoch);
      RETURN QUERY SELECT v.epoch, NULL::text, 0::bigint;
    END $$;

  -- Renews the lease of an agent. Returns whether the lease of another one has run out.
  CREATE FUNCTION market_agent.renew(p_epoch bigint) RETURNS boolean LANGUAGE plpgsql AS $$
    BEGIN
      PERFORM market_agent.assert_alive(p_epoch);
      PERFORM market_agent.hear();
      UPDATE market_agent.agent SET lease_ends_ms = market_agent.now_ms() + 15000, is_granted = false
        WHERE epoch = p_epoch;
      RETURN EXISTS (SELECT FROM market_agent.agent WHERE lease_ends_ms < market_agent.now_ms() AND epoch <> p_epoch);
    END $$;

  -- Takes over from one agent whose lease has run out, and returns its name. Null if there is none, or if another agent is
  -- just taking over.
  CREATE FUNCTION market_agent.take_over(p_epoch bigint, p_in_doubt text) RETURNS text LANGUAGE plpgsql AS $$
    DECLARE v market_agent.agent;
    BEGIN
      IF NOT market_agent.is_steady() OR NOT pg_try_advisory_xact_lock(1835758594, 0) THEN RETURN NULL; END IF;
      PERFORM market_agent.assert_alive(p_epoch);
      SELECT * INTO v FROM market_agent.agent
        WHERE lease_ends_ms < market_agent.now_ms() AND epoch <> p_epoch ORDER BY epoch LIMIT 1;
      IF NOT FOUND THEN RETURN NULL; END IF;
      PERFORM pg_advisory_xact_lock(1835758593, v.epoch::integer);
      -- It may have renewed its lease meanwhile.
      SELECT * INTO v FROM market_agent.agent WHERE epoch = v.epoch AND lease_ends_ms < market_agent.now_ms();
      IF NOT FOUND THEN RETURN NULL; END IF;
      PERFORM market_agent.end_epoch(v.epoch, p_in_doubt);
      RETURN v.name;
    END $$;
`
