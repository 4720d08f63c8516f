import type { Mutant } from './mutant.ts'

const calls = 'agent/postgres/call-tables.ts'
const agents = 'agent/postgres/agent-tables.ts'
const orders = 'agent/postgres/order-tables.ts'
const journal = 'agent/postgres/store-journal.ts'
const owed = 'agent/postgres/owed-writes.ts'

/** Faults of agents that share a store. */
export const sharedStoreMutants: readonly Mutant[] = [
  {
    name: 'an agent without a lease acts',
    file: 'agent/postgres/lease.ts',
    from: 'return this.restMs > 0',
    to: 'return true',
  },
  {
    name: 'a lease counts from the answer to its renewal',
    file: 'agent/postgres/lease.ts',
    from: 'this.#renewedMs = askedMs\n    return row',
    to: 'void askedMs\n    this.#renewedMs = this.#options.clock.monotonicMs()\n    return row',
  },
  {
    name: 'two agents have one turn',
    file: calls,
    from: 'IF EXISTS (SELECT FROM market_agent.ticket WHERE key = p_key AND number < v_number)\n        OR',
    to: 'IF',
  },
  {
    name: 'a claim comes with the turn whoever has it',
    file: calls,
    from: 'v_has_turn := NOT EXISTS (SELECT FROM market_agent.ticket WHERE key = p_key AND epoch <> p_epoch)\n          AND',
    to: 'v_has_turn :=',
  },
  {
    name: 'a turn is given although an agent has not said what it has',
    file: calls,
    from: 'AND number < v_number)\n        OR NOT market_agent.is_complete() THEN',
    to: 'AND number < v_number) THEN',
  },
  {
    name: 'an id is claimed although another agent works on it',
    file: calls,
    from: 'WHERE known.epoch = p_epoch OR (known.epoch IS NULL AND known.ends_at_ms < market_agent.now_ms());\n      IF FOUND',
    to: 'WHERE known.epoch IS NOT NULL OR known.ends_at_ms < market_agent.now_ms();\n      IF FOUND',
  },
  {
    name: 'the purchases of a dead agent are not in doubt',
    file: agents,
    from: 'WHERE epoch = p_epoch AND in_doubt;\n      DELETE FROM market_agent.call',
    to: 'WHERE epoch = p_epoch AND in_doubt AND false;\n      DELETE FROM market_agent.call',
  },
  {
    name: 'a dead agent keeps its turns',
    file: agents,
    from: '      DELETE FROM market_agent.ticket WHERE epoch = p_epoch;\n',
    to: '',
  },
  {
    name: 'the last observations of a dead agent are not sent again',
    file: agents,
    from: "WHERE epoch = p_epoch AND starts_with(key, 'itemRef ')",
    to: 'WHERE false',
  },
  {
    name: 'an observation of a dead agent is sent again too early',
    file: agents,
    from: 'greatest(market_agent.steady_ms(), v.lease_ends_ms) + v.attempt_lifetime_ms',
    to: 'market_agent.now_ms()',
  },
  {
    name: 'an agent whose epoch is over still writes',
    file: agents,
    from: 'IF NOT FOUND THEN\n        PERFORM market_agent.raise_over',
    to: 'IF NOT FOUND THEN\n        RETURN p_epoch::text;\n        PERFORM market_agent.raise_over',
  },
  {
    name: 'a late statement of an earlier connection counts',
    file: agents,
    from: 'IF v.connection <> market_agent.connection() THEN',
    to: 'IF false THEN',
  },
  {
    name: 'an order goes to the world that its webhook reached',
    file: orders,
    from: 'market_agent.world_of_item(p_item_ref),\n',
    to: '\n',
  },
  {
    name: 'nobody takes the orders of a dead agent',
    file: orders,
    from: 'AND NOT EXISTS (SELECT FROM market_agent.agent WHERE epoch = known.epoch)\n',
    to: 'AND epoch IS NULL\n',
  },
  {
    name: 'two agents hand over one order',
    file: orders,
    from: 'epoch = coalesce((SELECT epoch FROM market_agent.agent WHERE epoch = known.epoch),\n                               CASE WHEN known.world = v_own_world THEN p_epoch END)',
    to: 'epoch = p_epoch',
  },
  {
    name: 'the intent of a purchase waits for no disk',
    file: calls,
    from: 'IF NOT p_is_once THEN PERFORM',
    to: 'IF true THEN PERFORM',
  },
  {
    name: 'the answer to a purchase waits for no disk',
    file: calls,
    from: 'IF NOT p_is_harmful_twice THEN PERFORM',
    to: 'IF true THEN PERFORM',
  },
  {
    name: 'an answer that could not be written is not written later',
    file: owed,
    from: 'if (isStoreFailure(error)) this.owe(name, later)',
    to: 'void later',
  },
  {
    name: 'a turn whose end could not be written is kept',
    file: journal,
    from: 'if (key !== undefined && isStoreFailure(error)) turns.oweLeave(key)',
    to: '',
  },
  {
    name: 'a report that ended puts off what must be sent again',
    file: calls,
    from: 'SET due_at_ms = due_at_ms - p_added_ms, version',
    to: 'SET version',
  },
  {
    name: 'an order that was lost is not put back after a change that did not find it',
    file: 'agent/postgres/store-ledger.ts',
    from: 'if (!wasMissing) follow(transactionId, changed)',
    to: 'void wasMissing\n        follow(transactionId, changed)',
  },
  {
    name: 'marks of stocks are drawn side by side',
    file: 'agent/postgres/store-ledger.ts',
    from: 'lastDrawn.then(draw, draw)',
    to: 'draw()',
  },
  {
    name: 'the status fails while the store is away',
    file: 'agent/status/status.ts',
    from: 'unlessAway(sources.journal.count())',
    to: 'sources.journal.count()',
  },
  {
    name: 'a full store that is away is not looked at again',
    file: 'agent/postgres/store-room.ts',
    from: 'this.#report(error instanceof StoreFullError ? error : this.#cause)',
    to: 'if (error instanceof StoreFullError) this.#report(error)',
  },
  {
    name: 'a registration in doubt is taken back',
    file: 'agent/call/listings.ts',
    from: 'first.has(call) && !answer.ok && !answer.uncertain',
    to: 'first.has(call) && !answer.ok',
  },
  {
    name: 'a store that is away is called a bug by the pages about orders',
    file: 'agent/loopback/server.ts',
    from: 'if (isStoreFailure(error))',
    to: 'if (error === isStoreFailure)',
  },
  {
    name: 'an agent without its lease continues with its orders',
    file: 'agent/orders/order-path.ts',
    from: 'const due = mayBegin()\n',
    to: 'const due = true\n',
  },
  {
    name: 'what could not be written into a full store is not owed any more',
    file: 'agent/postgres/owed-writes.ts',
    from: `      if (!problem) this.#owed.delete(name)
      if (problem instanceof StoreUnreachableError) return
`,
    to: `      if (problem instanceof StoreUnreachableError) return
      this.#owed.delete(name)
`,
  },
  {
    name: 'an agent that was paused past its lease pushes the order that it had begun with',
    file: 'agent/orders/order-path.ts',
    from: 'if (isLate || !this.#options.mayBegin())',
    to: 'if (isLate)',
  },
  {
    name: 'after an outage only known orders are looked at',
    file: 'agent/postgres/store-ledger.ts',
    from: 'await look(new Set([...(await findOurs()).map((order) => order.transactionId), ...followed.keys()]), putBack)',
    to: 'await look(followed.keys(), putBack)',
  },
  {
    name: 'an answer is stored after its call was told to be in doubt',
    file: 'agent/postgres/store-journal.ts',
    from: 'await (isInDoubt ? writeDoubt : write)(undefined)',
    to: 'await write(undefined)',
  },
  {
    name: 'no agent takes over from a dead one',
    file: 'agent/postgres/lease.ts',
    from: 'if (isOneDead) await this.#takeOver()',
    to: 'void isOneDead',
  },
  {
    name: 'two agents of a world take each order from each other',
    file: 'agent/postgres/order-tables.ts',
    from: 'AND NOT EXISTS (SELECT FROM market_agent.agent WHERE epoch = known.epoch)',
    to: 'AND known.epoch IS DISTINCT FROM p_epoch',
  },
  {
    name: 'a standby begins while the first agent lives',
    file: 'agent/postgres/agent-tables.ts',
    from: 'AND (name = p_name OR p_is_standby AND world = p_world)',
    to: 'AND name = p_name',
  },
  {
    name: 'an equal call on another host is not waited for',
    file: 'agent/postgres/store-journal.ts',
    from: "if (!isEqual || !(await bell.rings(deadlineMs))) return { kind: 'under-way', fingerprint }",
    to: "return { kind: 'under-way', fingerprint }",
  },
  {
    name: 'a report of an agent that dies is expected only until the deadline of its call',
    file: 'agent/call/answer-call.ts',
    from: 'await deps.reports.begin(call, deadlineMs + deps.sending.partnerApi.attemptLifetimeMs)',
    to: 'await deps.reports.begin(call, deadlineMs)',
  },
  {
    name: 'in a shared store a reply to an order, and each stock, waits for no disk',
    file: 'agent/postgres/order-tables.ts',
    from: `RETURNS boolean LANGUAGE sql AS $$
    INSERT INTO market_agent.observation AS known (item_ref, observed_quantity, version)`,
    to: `RETURNS boolean LANGUAGE sql AS $$
    SELECT market_agent.wait_for_no_disk();
    INSERT INTO market_agent.observation AS known (item_ref, observed_quantity, version)`,
  },
  {
    name: 'in a shared store an envelope for a game client waits for no disk',
    file: 'agent/postgres/store-journal.ts',
    from: 'Math.round(keepMs), isHarmfulTwice(call), unlessStored]',
    to: 'Math.round(keepMs), isHarmfulTwice(call) && isSentOnce(call), unlessStored]',
  },
  {
    name: 'an accepted registration gives the item to its world only if it was the first one there',
    file: 'agent/call/listings.ts',
    from: "if (itemRef !== undefined && answer.ok) await listings.end(itemRef, 'accepted')",
    to: "if (itemRef !== undefined && first.has(call) && answer.ok) await listings.end(itemRef, 'accepted')",
  },
  {
    name: 'the list of open orders has only those that this agent hands over, not those of its world',
    file: 'agent/postgres/store-ledger.ts',
    from: `findOpen: () => all(\`\${find} world = $1 AND NOT \${isOver} ORDER BY received_at_ms, transaction_id\`, [world]),`,
    to: `findOpen: () => all(\`\${find} epoch = $1 AND NOT \${isOver} ORDER BY received_at_ms, transaction_id\`, [epoch]),`,
  },
  {
    name: 'in a shared store a start does not begin the window of an id again whose answer it shows',
    file: 'agent/postgres/store-journal.ts',
    from: 'SET ends_at_ms = market_agent.now_ms() + $3',
    to: 'SET ends_at_ms = greatest(ends_at_ms, $3)',
  },
  {
    name: 'a doubt that is written late takes the place of the answer that was stored after all',
    file: 'agent/postgres/store-journal.ts',
    from: 'const writeDoubt = finish(call, inDoubtText, limits.idempotencyWindowMs, true)',
    to: 'const writeDoubt = finish(call, inDoubtText, limits.idempotencyWindowMs)',
  },
  {
    name: 'an agent that has waited for its store twice counts as dead the second time',
    file: 'agent/postgres/agent-tables.ts',
    from: 'lease_ends_ms = market_agent.now_ms() + 15000, is_granted = false',
    to: 'lease_ends_ms = market_agent.now_ms() + 15000',
  },
  {
    name: 'in a shared store a note to send a stock again waits for no disk',
    file: 'agent/postgres/call-tables.ts',
    from: `    p_is_newest boolean) RETURNS bigint LANGUAGE sql AS $$
      SELECT market_agent.assert_alive(p_epoch);
`,
    to: `    p_is_newest boolean) RETURNS bigint LANGUAGE sql AS $$
      SELECT market_agent.assert_alive(p_epoch);
      SELECT market_agent.wait_for_no_disk();
`,
  },
  {
    name: 'a purchase whose answer cannot be stored at once is in doubt at once',
    file: 'agent/postgres/store-journal.ts',
    from: 'if (mayComeBack && (await isWithin(clock, isWritten, deadlineMs))) return',
    to: 'if (mayComeBack && (await isWithin(clock, isWritten, deadlineMs - clock.monotonicMs()))) return',
  },
  {
    name: 'an agent is ready while its store cannot be reached',
    file: 'agent/postgres/open-shared-store.ts',
    from: `    get reasons() {
      return storeLog.reasonsBy(database.problem, lease.mayBegin())
    },`,
    to: '    reasons: storeLog.reasonsBy(database.problem, lease.mayBegin()),',
  },
  {
    name: 'while the store is away an agent refuses also what concerns no other agent',
    file: 'agent/call/send-with-retries.ts',
    from: 'call.id !== undefined || orderKeyOf(call) !== undefined',
    to: 'call.id !== undefined || orderKeyOf(call) !== null',
  },
  {
    name: 'an agent that is stopped keeps its life in the store until its lease is over',
    file: 'agent/postgres/shared-store.ts',
    from: `    await database.drain()
    await lease.end()
`,
    to: `    await database.drain()
`,
  },
  {
    name: 'a call that another agent may have sent is called unsent while the store is away',
    file: 'agent/call/answer-call.ts',
    from: `return isOnce(call)
      ? refuseInDoubt('STORE_UNREACHABLE', { mayHaveActed: true })`,
    to: `return isOnce(call) && call.id === undefined
      ? refuseInDoubt('STORE_UNREACHABLE', { mayHaveActed: true })`,
  },
].map((mutant) => ({ ...mutant, hosts: 3 }))
