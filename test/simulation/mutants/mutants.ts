import type { Mutant } from './mutant.ts'
import { sharedStoreMutants } from './shared-store-mutants.ts'

/** Faults of the agent, each of which breaks a promise. */
const agentMutants: readonly Mutant[] = [
  {
    name: 'a once call in doubt is sent again',
    file: 'agent/call/fault-table.ts',
    from: "mayStillArrive: true, once: 'doubt', idempotent: 'retry', safe: 'retry' },\n  /** A success",
    to: "mayStillArrive: true, once: 'retry', idempotent: 'retry', safe: 'retry' },\n  /** A success",
  },
  {
    name: 'doubt is forgotten',
    file: 'agent/call/send-with-retries.ts',
    from: "if (row.mayHaveActed && call.operation.retry !== 'safe') state.isInDoubt = true",
    to: '',
  },
  {
    name: 'the intent of a call is not stored',
    file: 'agent/call/answer-call.ts',
    from: 'if (keyed) await deps.journal.recordIntent(keyed)\n    await deps.reports',
    to: 'await deps.reports',
  },
  {
    name: 'a call is sent although its intent cannot be stored',
    file: 'agent/call/answer-call.ts',
    from: 'if (keyed) await deps.journal.recordIntent(keyed)\n    await deps.reports',
    to: 'if (keyed) await deps.journal.recordIntent(keyed).catch(() => undefined)\n    await deps.reports',
  },
  {
    name: 'an answer is not stored',
    file: 'agent/call/answer-call.ts',
    from: 'if (keptMs > 0) await deps.journal.recordAnswer(keyed, answer, keptMs, deadlineMs)',
    to: 'if (keptMs > 0) await deps.journal.release(keyed)',
  },
  {
    name: 'an answer is given before it is stored',
    file: 'agent/call/answer-call.ts',
    from: 'if (keptMs > 0) await deps.journal.recordAnswer(keyed, answer, keptMs, deadlineMs)',
    to: 'if (keptMs > 0) void deps.journal.recordAnswer(keyed, answer, keptMs)',
  },
  {
    name: 'equal calls do not share the one under way',
    file: 'agent/call/answer-call.ts',
    from: 'const underWay = deps.singleFlight.find(id)',
    to: 'const underWay = undefined as ReturnType<typeof deps.singleFlight.find>',
  },
  {
    name: 'an id is remembered for ten seconds',
    file: 'contract/limits.ts',
    from: 'idempotencyWindowMs: 600_000',
    to: 'idempotencyWindowMs: 10_000',
  },
  {
    name: 'a late observation is not repaired',
    file: 'agent/call/send-with-retries.ts',
    from: 'if (row.mayStillArrive) state.lateUntilMs = startedMs + deps.partnerApi.attemptLifetimeMs',
    to: '',
  },
  {
    name: 'a jti is used again',
    file: 'agent/platform/partner-api.ts',
    from: 'jti: newJti(), iat',
    to: 'jti: request.path, iat',
  },
  {
    name: "the platform's clock is not learned",
    file: 'agent/platform/platform-clock.ts',
    from: 'this.#offsetMs = nearest(this.#offsetMs)',
    to: '',
  },
  {
    name: 'the API key is logged',
    file: 'agent/agent.ts',
    from: "log.info({ url: loopback.url }, 'listening')",
    to: "log.info({ url: loopback.url, key: config.apiKey }, 'listening')",
  },
  {
    name: 'the next call of an item is not woken',
    file: 'agent/call/key-queues.ts',
    from: 'if (next) next()\n    else',
    to: 'if (!next)',
  },
  {
    name: 'an answer is shown before its request is consumed',
    file: 'agent/spool/publish.ts',
    from: 'await unlessNoFile(claimEnd',
    to: `await fs.rename(join(dirs.outbox, name + '.done'), join(dirs.inbox, name)).catch(() => undefined)
    await unlessNoFile(claimEnd`,
  },
  {
    name: 'an answer is published without a sync',
    file: 'agent/spool/publish.ts',
    from: 'await awaitSync(promisify(files.fsync)(fd))',
    to: '',
  },
  {
    name: 'claims of an earlier agent are left',
    file: 'agent/spool/spool-worker.ts',
    from: 'onRecovered(request.claim)\n      table.add(request)',
    to: 'onRecovered(request.claim)',
  },
  {
    name: 'written answers of an earlier agent are left',
    file: 'agent/spool/own-files.ts',
    from: "if (own.kind === 'done') done.push",
    to: "if (own.kind === 'done') void",
  },
  {
    name: 'an order is handed over unasked',
    file: 'agent/orders/open-orders.ts',
    from: 'return nowMs - provenMs > proofMs',
    to: 'return provenMs > nowMs',
  },
  {
    name: "the platform's word is believed for an hour",
    file: 'agent/orders/open-orders.ts',
    from: 'export const proofMs = 60_000',
    to: 'export const proofMs = 3_600_000',
  },
  {
    name: 'an order is acknowledged before the game server has it',
    file: 'agent/webhook-bridge/receive-webhook.ts',
    from: "const isStored = phase === 'taken'",
    to: "const isStored = phase === 'offered' || phase === 'taken'",
  },
  {
    name: 'a result is reported once',
    file: 'agent/orders/order-path.ts',
    from: 'this.#again(begun, reportDelayMs(begun.tries + 1, retryAfterMs))',
    to: 'void retryAfterMs',
  },
  {
    name: 'OUT_OF_STOCK is reported as delivered',
    file: 'agent/orders/report-result.ts',
    from: "result === 'DELIVERED'\n      ?",
    to: "result !== 'TEMPORARY'\n      ?",
  },
  {
    name: 'the file of an order that is over stays',
    file: 'agent/orders/order-path.ts',
    from: 'if (open?.message && !isSame) this.#options.files.remove(open.message)',
    to: '',
  },
  {
    name: 'a dispute closes an order',
    file: 'agent/orders/platform-word.ts',
    from: "if (word.phase === 'awaiting-payment' || word.phase === 'disputed') return",
    to: "if (word.phase === 'awaiting-payment') return",
  },
  {
    name: 'a refused delivery in doubt is taken for delivered',
    file: 'agent/call/settle-doubt.ts',
    from: 'return shown ? { ok: true, dataText: JSON.stringify(shown) } : refused',
    to: 'return { ok: true, dataText: JSON.stringify(shown ?? {}) }',
  },
  {
    name: 'a repeated reply is stored under no order',
    file: 'agent/orders/record-reply.ts',
    from: 'return takeReply(reply)(known, nowMs)',
    to: 'return { order: known, msg: String(nowMs) }',
  },
  {
    name: 'terminal events are not handed on',
    file: 'agent/orders/open-orders.ts',
    from: "case 'closed':\n      return channel",
    to: "case 'closed':\n      if (nowMs > 0) return undefined\n      return channel",
  },
  {
    name: 'an end after the clock was set back is not listed',
    file: 'agent/orders/order.ts',
    from: 'return isLater ? order : { ...order, sinceMs: newestEndMs + 1 }',
    to: 'return order',
  },
  {
    name: 'an event that went while its reply was half-written is not shown again',
    file: 'agent/orders/order-path.ts',
    from: "if (open.at === 'shown' || open.at === 'half-replied')\n        this",
    to: "if (open.at === 'shown')\n        this",
  },
  {
    name: 'a proxy may keep a result back for a year',
    file: 'agent/orders/open-orders.ts',
    from: 'Math.min(retryAfterMs, retryAfterMsMax)',
    to: 'retryAfterMs',
  },
  {
    name: 'one refusal closes an order',
    file: 'agent/orders/order-changes.ts',
    from: 'if (known.unknownSinceMs === null)',
    to: 'if (known.unknownSinceMs === null && nowMs < 0)',
  },
  {
    name: 'a reply to another offer counts',
    file: 'agent/orders/order-path.ts',
    from: 'return open?.message?.name === name ? open : undefined',
    to: 'return name === undefined ? undefined : open',
  },
  {
    name: 'what a report may bring late is not repaired',
    file: 'agent/orders/order-reports.ts',
    from: 'await endReport(lateUntilMs)',
    to: 'void endReport',
  },
  {
    name: 'a stock is not sent again after an older report',
    file: 'agent/orders/order-reports.ts',
    from: 'if (isStale) await observeNewest(observations, book.ledger, itemRef, newest)',
    to: '',
  },
  {
    name: 'a repair is forgotten with the process',
    file: 'agent/call/noted-observations.ts',
    from: "this.#observations.set(itemRef, { at: 'due', quantity, lateUntilMs })",
    to: 'void [quantity, lateUntilMs]',
  },
  {
    name: 'calls of one item overtake each other',
    file: 'agent/call/call.ts',
    from: 'operation.orderedBy === null ||',
    to: "operation.orderedBy !== 'transactionId' ||",
  },
  {
    name: 'the outbox is not synced before the claim goes',
    file: 'agent/spool/publish.ts',
    from: 'await awaitSync(syncs.sync(dirs.outbox))',
    to: '',
  },
  {
    name: 'the file of an order is not renewed',
    file: 'agent/orders/order-path.ts',
    from: 'atMs: isOrder ? nowMs + proofMs : Number.POSITIVE_INFINITY',
    to: 'atMs: Number.POSITIVE_INFINITY',
  },
  {
    name: 'events are not shown again after somebody removed them',
    file: 'agent/orders/order-path.ts',
    from: 'if (files.makeDirs()) this.#showAgain()',
    to: 'files.makeDirs()',
  },
  {
    name: 'an answer in doubt is not stored',
    file: 'agent/call/keep.ts',
    from: "return operation.retry === 'once' ? limits.idempotencyWindowMs : 0",
    to: 'return 0',
  },
  {
    name: 'a repair goes without its turn',
    file: 'agent/call/repairs.ts',
    from: 'const hasTurn = await turn.wait(this.#nowMs + sending.attemptTimeoutMs)',
    to: 'const hasTurn = true',
  },
  {
    name: 'a repair without an answer is not made again',
    file: 'agent/call/repairs.ts',
    from: "isOver ? { kind: 'settle' } : { kind: 'postpone', untilMs }",
    to: "{ kind: 'settle' }",
  },
  {
    name: 'an attempt without an answer may arrive for a second',
    file: 'agent/call/send-with-retries.ts',
    from: 'state.lateUntilMs = startedMs + deps.partnerApi.attemptLifetimeMs',
    to: 'state.lateUntilMs = startedMs + 1_000',
  },
  {
    name: 'the claims of an earlier agent are read by nobody',
    file: 'agent/spool/requests.ts',
    from: 'return firstOf(orphaned, isActive) ?? firstOf(waiting, isActive)',
    to: 'return firstOf(waiting, isActive)',
  },
  {
    name: 'a word that is older than the reply opens the order again',
    file: 'agent/orders/order-changes.ts',
    from: 'const isOlder = !awaitsReply(known.phase) && (known.phase',
    to: 'const isOlder = nowMs < 0 && (known.phase',
  },
  {
    name: 'a terminal event is acknowledged before it is durable',
    file: 'agent/webhook-bridge/receive-webhook.ts',
    from: 'await book.change(event.transactionId, receiveTerminal(event, text))',
    to: "await book.change(event.transactionId, receiveTerminal(event, text), { survives: 'kill' })",
  },
  {
    name: 'a result that the platform refuses is reported without an end',
    file: 'agent/orders/report-result.ts',
    from: 'if (isRefused(answer)) await deps.questions.ask(order)',
    to: '',
  },
  {
    name: 'a stock is the newest one only when the platform has accepted it',
    file: 'agent/orders/order-reports.ts',
    from: "return book.ledger.observe(String(input['itemRef']), Number(input['observedQuantity']))",
    to: 'return',
  },
]

const game = 'test/simulation/world/game'

/** Game servers that are wrong. */
const gameMutants: readonly Mutant[] = [
  {
    name: 'the game server gives an item again',
    file: `${game}/game-state.ts`,
    from: "if (known && known.result !== 'TEMPORARY') return\n  delete",
    to: 'delete',
  },
  {
    name: 'the game server replies before it saves',
    file: `${game}/game-store.ts`,
    from: 'current = undefined\n      save(text)\n      current = next',
    to: 'current = next\n      if (text.length % 8 === 0) save(text)',
  },
  {
    name: 'the game server saves in place',
    file: `${game}/game-store.ts`,
    from: 'fs.writeFileSync(temporary, text)\n    sync(fs, temporary)\n    fs.renameSync(temporary, path)\n    sync(fs, dir)',
    to: 'fs.writeFileSync(path, text)\n    void [temporary, dir]',
  },
  {
    name: 'the game server gives nothing and says DELIVERED',
    file: `${game}/game-state.ts`,
    from: 'state.given[transactionId] = (state.given[transactionId] ?? 0) + 1',
    to: '',
  },
  {
    name: 'the game server says OUT_OF_STOCK after it gave the item',
    file: `${game}/game-state.ts`,
    from: 'return { observedQuantity: left(state, itemRef), result }',
    to: "return { observedQuantity: left(state, itemRef), result: result === 'DELIVERED' ? 'OUT_OF_STOCK' : result }",
  },
  {
    name: 'the game server asks for one purchase under two ids',
    file: `${game}/game-program.ts`,
    from: 'input: { itemRef, quantity, buyerCharacterRef }, id }\n',
    to: "input: { itemRef, quantity, buyerCharacterRef }, id: process.random.happens(0.5) ? id : 'again-' + id }\n",
  },
]

/** Every mutant that a simulation must find. */
export const mutants: readonly Mutant[] = [...agentMutants, ...gameMutants, ...sharedStoreMutants]

/** @throws {Error} There is none of that name. */
export function mutantNamed(name: string): Mutant {
  const mutant = mutants.find((known) => known.name === name)
  if (!mutant) throw new Error(`no mutant has the name ${JSON.stringify(name)}`)
  return mutant
}

/** A source with its fault. @throws {Error} The text is not there once, so the mutant must be written again. */
export function mutated(source: string, { name, from, to }: Mutant): string {
  const parts = source.split(from)
  if (parts.length !== 2)
    throw new Error(`the text of the mutant ${JSON.stringify(name)} is there ${parts.length - 1} times`)
  return parts.join(to)
}
