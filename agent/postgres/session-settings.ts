/**
 * What the agents' statements rely on. An administrator may have set it otherwise, for the user, the database or the server.
 * A server of an earlier version may not know all of it.
 */
const needed: Readonly<Record<string, string>> = {
  // A statement that waited for a lock must see what was committed meanwhile.
  default_transaction_isolation: 'read committed',
  // Other programs' functions and operators never hide those of PostgreSQL, which come first if they are not named.
  search_path: 'public',
  // The statements have a timeout of their own, which ends them in a way that the agent knows.
  lock_timeout: '0',
  transaction_timeout: '0',
  // The connection is kept although there is nothing to do.
  idle_session_timeout: '0',
  // A server whose agent is gone without a word must not keep its sessions for hours: it has places for a few agents only.
  tcp_keepalives_idle: '10',
  tcp_keepalives_interval: '5',
  tcp_keepalives_count: '3',
  tcp_user_timeout: '25s',
  // Numbers come back as they were written.
  extra_float_digits: '1',
}

const rows = Object.entries(needed).map(([name, setting]) => `('${name}', '${setting}')`)

/**
 * The first statement of a session. A server whose commits wait for nothing must wait for the agent's: each statement says by
 * itself where it need not.
 */
export const beginSession = `
  SELECT pg_catalog.current_setting('transaction_read_only') AS read_only,
    pg_catalog.pg_is_in_recovery() AS is_standby,
    CASE pg_catalog.current_setting('synchronous_commit')
      WHEN 'off' THEN pg_catalog.set_config('synchronous_commit', 'on', false) END,
    (SELECT pg_catalog.count(pg_catalog.set_config(name, setting, false)) FROM (VALUES ${rows.join(', ')}) AS needed (name, setting)
      WHERE pg_catalog.current_setting(name, true) IS NOT NULL)`
