import type { Mutant } from './mutant.ts'

/** Faults in how orders are received, handed over and reported. */
export const orderMutants: readonly Mutant[] = [
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
    name: "the platform's word is as new as its answer",
    file: 'agent/orders/questions.ts',
    from: 'onAwaited(transactionId, askedMs)',
    to: 'onAwaited(transactionId, askedMs && clock.monotonicMs())',
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
    name: 'a result is reported again before the platform allows it',
    file: 'agent/orders/order-path.ts',
    from: 'reportDelayMs(begun.tries + 1, retryAfterMs)',
    to: 'reportDelayMs(begun.tries + 1, retryAfterMs && 0)',
  },
  {
    name: 'terminal events that an earlier agent has not handed on are left',
    file: 'agent/orders/orders.ts',
    from: 'this.path.start(await ledger.adopt())',
    to: 'this.path.start(await ledger.findOpen())',
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
    from: 'if (open?.message && !isSame)',
    to: 'if (open?.message && !isSame && open.tries < 0)',
  },
  {
    name: 'a dispute closes an order',
    file: 'agent/orders/platform-word.ts',
    from: "if (word.phase === 'awaiting-payment' || word.phase === 'disputed') return",
    to: "if (word.phase === 'awaiting-payment') return",
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
    from: 'endReport: await observations.expectReport(itemRef, lateUntilMs) }',
    to: 'endReport: async () => void [observations, lateUntilMs] }',
  },
  {
    name: 'a stock is not sent again after an older report',
    file: 'agent/orders/order-reports.ts',
    from: 'await observations.noteOverwritten(itemRef, newest.quantity)',
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
    name: 'a terminal event is acknowledged before it is durable',
    file: 'agent/webhook-bridge/receive-webhook.ts',
    from: 'await book.change(event.transactionId, receiveTerminal(event, text))',
    to: "await book.change(event.transactionId, receiveTerminal(event, text), { survives: 'kill' })",
  },
  {
    name: 'a stock is the newest one only when the platform has accepted it',
    file: 'agent/orders/order-reports.ts',
    from: "if (operation.reports === 'stock') {",
    to: "if (operation.reports === 'stock') return\n    if (operation.reports === 'stock') {",
  },
  {
    name: 'a report is as old as the moment at which it leaves',
    file: 'agent/orders/order-reports.ts',
    from: "const mark = await (noted?.at === 'joined' ? noted.mark : this.#options.book.ledger.drawMark())",
    to: 'void noted\n    const mark = await this.#options.book.ledger.drawMark()',
  },
  {
    name: 'a stock that a power cut may take back counts as reported',
    file: 'agent/orders/order-reports.ts',
    from: 'await noted.durable\n',
    to: '',
  },
  {
    name: 'a terminal event is believed although the platform does not answer',
    file: 'agent/webhook-bridge/receive-webhook.ts',
    from: "  if (verdict.kind !== 'confirmed') return refusalBy(verdict)\n  await",
    to: "  if (verdict.kind !== 'confirmed' && verdict.kind !== 'unanswered') return refusalBy(verdict)\n  await",
  },
  {
    name: 'a result that the platform has not accepted counts as reported',
    file: 'agent/orders/order-changes.ts',
    from: 'reported: order.reported ?? (isAccepted ? result : null),',
    to: 'reported: order.reported ?? (isAccepted ? result : order.result),',
  },
  {
    name: 'a word that is older than the reply opens the order again',
    file: 'agent/orders/order-changes.ts',
    from: 'const isOlder = !awaitsReply(known.phase) && (known.phase',
    to: 'const isOlder = nowMs < 0 && (known.phase',
  },
  {
    name: 'a copy of a webhook does not wait for the disk',
    file: 'agent/orders/sqlite-order-ledger.ts',
    from: 'writer.sync()\n      }\n      await synced\n',
    to: 'writer.sync()\n        await synced\n      }\n',
  },
  {
    name: 'a terminal event is a copy if its outcome is known',
    file: 'agent/orders/order-changes.ts',
    from: 'if (known && isSameTerminal(known, event))',
    to: 'if (known && (known.outcome !== null || isSameTerminal(known, event)))',
  },
  {
    name: 'an order whose reply found no room is not looked at again',
    file: 'agent/orders/order-path.ts',
    from: `await attempt(() =>
      reply === 'confirmed'
        ? book.change(transactionId, confirmTerminal(begun.order))
        : recordReply(book, log, transactionId, reply, generation),
    )
    this.#again(begun, retryDelayMs(begun.tries + 1))`,
    to: `await attempt(async () => {
      await (reply === 'confirmed'
        ? book.change(transactionId, confirmTerminal(begun.order))
        : recordReply(book, log, transactionId, reply, generation))
      this.#again(begun, retryDelayMs(begun.tries + 1))
    })`,
  },
  {
    name: 'an order in a list is one that the platform has not denied',
    file: 'agent/orders/order-operations.ts',
    from: "if ((await questions.ask(order)).kind === 'awaited')",
    to: "if (['awaited', 'unanswered'].includes((await questions.ask(order)).kind))",
  },
  {
    name: 'what was counted as an offer is pushed, whatever became of it',
    file: 'agent/orders/order-path.ts',
    from: 'await this.#countOffer(begun.order)\n    const open = this.#current(begun.order)',
    to: 'await this.#countOffer(begun.order)\n    const open = this.#table.get(begun.order.transactionId)',
  },
  {
    name: 'a slow disk does not make the word of the platform older',
    file: 'agent/orders/order-path.ts',
    from: 'awaitsReply(open.order.phase) && needsProof(open, this.#nowMs())\n',
    to: 'awaitsReply(open.order.phase) && needsProof(open, 0)\n',
  },
  {
    name: 'an answer whose reader has hung up never ends',
    file: 'agent/webhook-bridge/bridge-server.ts',
    from: 'if (acknowledged) await',
    to: 'if (acknowledged && hasLeft) await',
  },
  {
    name: 'a redirect confirms a terminal event',
    file: 'agent/webhook-bridge/push-to-url.ts',
    from: 'result.status < 200 || result.status > 299',
    to: 'result.status >= 400',
  },
  {
    name: 'a stock is not noted when the orders of its item are over',
    file: 'agent/orders/sqlite-order-ledger.ts',
    from: 'WHERE EXISTS (SELECT 1 FROM orders WHERE item_ref = ?1)',
    to: "WHERE EXISTS (SELECT 1 FROM orders WHERE item_ref = ?1 AND phase NOT IN ('ended', 'closed'))",
  },
  {
    name: 'an older stock in doubt does not bring the newest one back',
    file: 'agent/orders/order-reports.ts',
    from: 'const mayHaveActed = answer.ok || answer.uncertain',
    to: 'const mayHaveActed = answer.ok',
  },
  {
    name: 'a stock that is older than one under way counts at once',
    file: 'agent/orders/sqlite-order-ledger.ts',
    from: 'return { isNoted: false, durable: writer.sync() }',
    to: 'return { isNoted: false, durable: Promise.resolve() }',
  },
  {
    name: 'the file of an order is good until a time of the platform',
    file: 'agent/orders/order-path.ts',
    from: 'new Date(clock.wallMs() + actMs)',
    to: 'new Date((void clock, this.#options.platform.platformMs()) + actMs)',
  },
  {
    name: 'OUT_OF_STOCK counts as accepted when a dispute ends an order',
    file: 'agent/orders/order-changes.ts',
    from: "const isAccepted = isDelivered ? result === 'DELIVERED' : result === 'OUT_OF_STOCK' && deliveryStatus === 'FALHOU'",
    to: "const isAccepted = result === (isDelivered ? 'DELIVERED' : 'OUT_OF_STOCK')",
  },
  {
    name: 'replies are read in the order of their transactions',
    file: 'agent/webhook-bridge/event-files.ts',
    from: 'one.writtenMs - other.writtenMs',
    to: 'one.named.transactionId - other.named.transactionId',
  },
  {
    name: 'a start does not take over what the game server has not confirmed',
    file: 'agent/orders/sqlite-order-ledger.ts',
    from: '[...findOpen.all(), ...findEnded.all()]',
    to: 'findOpen.all().concat(findEnded.all().slice(0, 0))',
  },
  {
    name: "a proxy's page counts as the platform's refusal of an order",
    file: 'agent/orders/platform-word.ts',
    from: '!answer.ok && answer.code === undefined && !answer.uncertain',
    to: '!answer.ok && !answer.uncertain',
  },
  {
    name: 'agent.json names no event',
    file: 'agent/orders/order-files.ts',
    from: 'slice(0, listedMax)',
    to: 'slice(0, 0)',
  },
  {
    name: 'a start leaves the files of orders that are over',
    file: 'agent/orders/order-files.ts',
    from: '!isChannel || !isOpen(event)',
    to: '!isChannel && !isOpen(event)',
  },
  {
    name: 'a reply that is being written is set aside',
    file: 'agent/orders/order-path.ts',
    from: '    if (this.#nowMs() - open.sinceMs < quietMs) return\n',
    to: '',
  },
  {
    name: 'an accepted report closes an order whose terminal event is not handed on',
    file: 'agent/orders/order-changes.ts',
    from: `    if (!known || isOver(known.phase)) return undefined
    const order = moveOrder(known, 'close', nowMs) as Order
    // A result`,
    to: `    if (!known || known.phase === 'closed') return undefined
    const order = moveOrder(known, 'close', nowMs) as Order
    // A result`,
  },
  {
    name: 'a 2xx that has left counts as read',
    file: 'agent/orders/orders.ts',
    from: `const lateUntilMs = clock.monotonicMs() + limits.webhookTimeoutMs
    const isNewer`,
    to: `const lateUntilMs = 0 * clock.monotonicMs() * limits.webhookTimeoutMs
    const isNewer`,
  },
  {
    name: 'the file of an earlier order of a number stays while the number is open',
    file: 'agent/orders/order-path.ts',
    from: 'files.tidy((named) => this.#openOf(named) !== undefined)',
    to: 'files.tidy(({ transactionId }) => this.#table.has(transactionId))',
  },
  {
    name: 'replies are read newest first',
    file: 'agent/webhook-bridge/event-files.ts',
    from: 'one.writtenMs - other.writtenMs',
    to: 'other.writtenMs - one.writtenMs',
  },
  {
    name: 'the doubt about an order outlives the word of the platform',
    file: 'agent/orders/order-changes.ts',
    from: "withoutDoubt((isOlder ? undefined : moveOrder(known, 'await', nowMs)) ?? known)",
    to: "(isOlder ? undefined : moveOrder(known, 'await', nowMs)) ?? known",
  },
  {
    name: 'a report of a failure has the newest stock',
    file: 'agent/orders/report-result.ts',
    from: "'transaction.delivery-failure', failure, known?.mark ?? 0)",
    to: "'transaction.delivery-failure', failure)",
  },
  {
    name: 'a stock of a call counts as synced by the sync before it',
    file: 'agent/orders/sqlite-order-ledger.ts',
    from: 'durable: hasOrders ? writer.sync() : Promise.resolve()',
    to: 'durable: hasOrders ? synced : Promise.resolve()',
  },
  {
    name: 'an event that could not be removed twice stays',
    file: 'agent/orders/order-files.ts',
    from: 'if (this.#remove(name, isWithReply)) this.#leftOver?.delete(name)',
    to: 'if (this.#leftOver?.delete(name)) this.#remove(name, isWithReply)',
  },
  {
    name: 'an order waits for no reply after another one has changed',
    file: 'agent/orders/order-path.ts',
    from: "timeout.promise])) === 'over') break",
    to: "timeout.promise])) !== 'over') break",
  },
  {
    name: 'the staff are asked to check a delivery that was not made',
    file: 'agent/orders/order-changes.ts',
    from: 'return result !== null && isDelivered ? cures',
    to: 'return result !== null ? cures',
  },
  {
    name: 'every step of an order is a warning',
    file: 'agent/orders/order-book.ts',
    from: "cure === undefined ? 'info' : 'warn'",
    to: "'warn'",
  },
  {
    name: 'a result without a detail is a bug',
    file: 'agent/orders/order-changes.ts',
    from: 'detail: detail && shorten(detail)',
    to: 'detail: shorten(detail as string)',
  },
  {
    name: 'an answer that is older than the reply offers an order again',
    file: 'agent/orders/order-changes.ts',
    from: 'const isOlder = !awaitsReply(known.phase)',
    to: 'const isOlder = !awaitsReply(asked.phase)',
  },
  {
    name: 'a message that could not be removed is tried only once more',
    file: 'agent/orders/order-files.ts',
    from: 'if (this.#remove(name, isWithReply)) this.#leftOver?.delete(name)',
    to: '[this.#remove(name, isWithReply), this.#leftOver?.delete(name)]',
  },
  {
    name: 'an end after the clock was set back by minutes is not listed',
    file: 'agent/orders/order.ts',
    from: 'const setBackMsMax = 24 * 3_600_000',
    to: 'const setBackMsMax = 24 * 3_600',
  },
  {
    name: 'the second end of an order is not listed',
    file: 'agent/orders/order.ts',
    from: 'return isOver(order.phase) && order.sinceMs !== known?.sinceMs',
    to: 'return isOver(order.phase) && !(known && isOver(known.phase))',
  },
  {
    name: 'a file of an event that cannot be removed is tried once more',
    file: 'agent/orders/order-files.ts',
    from: 'if (this.#remove(name, isWithReply)) this.#leftOver?.delete(name)',
    to: 'this.#remove(name, isWithReply), this.#leftOver?.delete(name)',
  },
  {
    name: 'an order that was paid at another time is the known one',
    file: 'agent/orders/order.ts',
    from: '    Date.parse(before.paidAt) === Date.parse(event.paidAt) &&\n',
    to: '',
  },
  {
    name: 'a reply that nobody has read is removed when its order changes',
    file: 'agent/orders/order-path.ts',
    from: "this.#options.files.remove(open.message, open.at === 'reply' || open.message.event === 'transaction_terminal')",
    to: 'this.#options.files.remove(open.message, true)',
  },
  {
    name: 'a reply that was set aside goes at the next start',
    file: 'agent/orders/orders.ts',
    from: 'this.files.removeRejectedBefore(rejectedClockMs() - rejectedKeptMs)',
    to: 'this.files.removeRejectedBefore(rejectedClockMs())',
  },
  {
    name: 'the stock in a reply with a result is not noted',
    file: 'agent/orders/record-reply.ts',
    from: '{ observedQuantity, observedMark },',
    to: '{ ...(result === null && { observedQuantity }), observedMark },',
  },
  {
    name: 'the answer to an order has no stock',
    file: 'agent/webhook-bridge/receive-webhook.ts',
    from: 'return observed === null ? {} : { observedQuantity: observed.quantity }',
    to: 'return observed === null ? {} : { observed: observed.quantity }',
  },
  {
    name: 'the last result of an order counts',
    file: 'agent/orders/order-changes.ts',
    from: 'if (result !== null && known.result !== null) return known.result === result ? { order: known, msg } : undefined',
    to: 'if (result !== null && known.result === result) return { order: known, msg }',
  },
  {
    name: 'buyer and seller change places in a list',
    file: 'agent/orders/describe-order.ts',
    from: 'buyerCharacterRef = null, sellerCharacterRef = null,',
    to: 'buyerCharacterRef: sellerCharacterRef = null, sellerCharacterRef: buyerCharacterRef = null,',
  },
  {
    name: 'the age of an order begins again in each phase',
    file: 'agent/status/status.ts',
    from: '(nowMs - oldest.receivedAtMs)',
    to: '(nowMs - oldest.sinceMs)',
  },
  {
    name: 'what is posted waits for up to five minutes',
    file: 'agent/orders/open-orders.ts',
    from: 'const retryMsMax = 30_000',
    to: 'const retryMsMax = 300_000',
  },
  {
    name: 'what the platform accepted is forgotten',
    file: 'agent/orders/order-changes.ts',
    from: 'order: { ...order, reported }, msg',
    to: 'order, msg',
  },
  {
    name: 'a reply to the first end of a transaction confirms the second one',
    file: 'agent/orders/order-path.ts',
    from: "open.at === 'reply' || open.message.event === 'transaction_terminal'",
    to: "open.at === 'reply'",
  },
  {
    name: 'each report of TEMPORARY counts as the first',
    file: 'agent/orders/order-changes.ts',
    from: "&& known.lastTransfer !== 'put-off'\n    ? { order: { ...known, lastTransfer: 'put-off' }, msg: 'TEMPORARY is about",
    to: "\n    ? { order: known.lastTransfer === 'put-off' ? known : { ...known, lastTransfer: 'put-off' }, msg: 'TEMPORARY is about",
  },
  {
    name: 'the staff are not told about an item that was given after the refund',
    file: 'agent/orders/record-reply.ts',
    from: 'const cure = result !== null && result !== known.result ?',
    to: 'const cure = isContradiction && result !== null ?',
  },
  {
    name: 'a refusal confirms a terminal event that was posted',
    file: 'agent/webhook-bridge/push-to-url.ts',
    from: 'cures.acknowledge())\n    else {',
    to: "cures.acknowledge(), (reply = message.event !== 'transfer_order' && result.status < 500 ? 'confirmed' : undefined))\n    else {",
  },
]
