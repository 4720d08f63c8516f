import type { Mutant } from './mutant.ts'

/** Faults around calls: journal, connection to the platform, clocks, configuration, start and stop. */
export const processMutants: readonly Mutant[] = [
  {
    name: 'an id is remembered for ten seconds',
    file: 'contract/limits.ts',
    from: 'idempotencyWindowMs: 600_000',
    to: 'idempotencyWindowMs: 10_000',
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
    from: 'if (isOff(this.#originMs)) this.#originMs = nearest(this.#originMs)',
    to: '',
  },
  {
    name: 'the API key is logged',
    file: 'agent/agent.ts',
    from: "log.info({ url: loopback.url }, 'listening')",
    to: "log.info({ url: loopback.url, key: config.apiKey }, 'listening')",
  },
  {
    name: 'an attempt is signed for five minutes',
    file: 'agent/platform/partner-api.ts',
    from: 'const header = headerFor(request, signingKey, attemptLifetimeS)',
    to: 'const header = headerFor(request, signingKey, 300)',
  },
  {
    name: "a slow answer makes the platform's clock wrong",
    file: 'agent/platform/platform-clock.ts',
    from: 'const originMsMax = originMsMin + dateResolutionMs + elapsedMs',
    to: 'const originMsMax = originMsMin + dateResolutionMs',
  },
  {
    name: 'a new signing key is not used after a reload',
    file: 'agent/agent.ts',
    from: 'credentials: () => live.current,',
    to: 'credentials: () => config,',
  },
  {
    name: 'the window of a purchase in doubt ends with the process',
    file: 'agent/journal/open-store.ts',
    from: 'calls.settleIntents(JSON.stringify(inDoubt), latestEndMs)',
    to: 'void latestEndMs\n  calls.settleIntents(JSON.stringify(inDoubt), time.nowMs())',
  },
  {
    name: 'an envelope may be lost by a power cut',
    file: 'agent/journal/sqlite-journal.ts',
    from: 'if (isHarmfulTwice(call)) await writer.sync()',
    to: 'if (isSentOnce(call)) await writer.sync()\n      void isHarmfulTwice',
  },
  {
    name: 'an answer that was not published is forgotten after its window',
    file: 'agent/journal/sqlite-journal.ts',
    from: 'async findUnanswered(id) {\n      return read(id)',
    to: 'async findUnanswered(id) {\n      return readLive(id)',
  },
  {
    name: 'an answer does not note that the clock was set',
    file: 'agent/journal/sqlite-journal.ts',
    from: 'async recordAnswer(call, answer, keepMs) {\n      time.storeOffset(commitForSure)\n',
    to: 'async recordAnswer(call, answer, keepMs) {\n',
  },
  {
    name: 'a clock that is right again is not noted',
    file: 'agent/journal/journal-time.ts',
    from: 'Math.abs(offsetMs - storedOffsetMs) < offsetToleranceMs',
    to: 'offsetMs === storedOffsetMs || Math.abs(offsetMs) < offsetToleranceMs',
  },
  {
    name: 'a disk that was full is looked at only once',
    file: 'agent/database/room.ts',
    from: 'cause = found\n',
    to: 'cause = found\n    if (!isChange) return\n',
  },
  {
    name: 'the refusal of a purchase is not synced',
    file: 'agent/journal/sqlite-journal.ts',
    from: 'if (isHarmfulTwice(call)) await writer.sync()\n      cache.set',
    to: 'if (isHarmfulTwice(call) && (answer.ok || answer.uncertain)) await writer.sync()\n      cache.set',
  },
  {
    name: 'after a question without an answer the platform is never asked for its time again',
    file: 'agent/platform/partner-api.ts',
    from: '    learning = undefined\n    if (result.kind',
    to: "    if (result.kind !== 'failed') learning = undefined\n    if (result.kind",
  },
  {
    name: 'a configuration that is refused is used',
    file: 'agent/config/live-config.ts',
    from: 'const errors = changedFixedSettings',
    to: 'this.#current = next\n    const errors = changedFixedSettings',
  },
  {
    name: 'the purge deletes the intent of a call under way',
    file: 'agent/journal/purge.ts',
    from: '      if (ends_at_ms === null || isUnanswered(id)) continue\n      if (ends_at_ms >= time.nowMs()) return undefined\n',
    to: '      if (isUnanswered(id)) continue\n      if (ends_at_ms !== null && ends_at_ms >= time.nowMs()) return undefined\n',
  },
  {
    name: 'what must be sent again is read after the first files are called',
    file: 'agent/agent.ts',
    from: '  await repairs.start()\n  const dirs',
    to: '  clock.after(10, () => void repairs.start())\n  const dirs',
  },
  {
    name: 'a reload keeps the token of the start',
    file: 'agent/config/live-config.ts',
    from: '    this.#current = next\n    return',
    to: '    this.#current = { ...next, webhook: before.webhook }\n    return',
  },
  {
    name: 'a reload may turn the webhooks off',
    file: 'agent/config/live-config.ts',
    from: "  return before.webhook === next.webhook ? changed : [...changed, 'SERVICE_WEBHOOK_PORT']",
    to: '  return changed',
  },
  {
    name: 'an attempt lives no longer than the clock of the agent says',
    file: 'agent/platform/partner-api.ts',
    from: '* 1000 + clockLeadMsMax(attemptTimeoutMs)',
    to: '* 1000 + 0 * clockLeadMsMax(attemptTimeoutMs)',
  },
  {
    name: 'webhooks are checked with the keys of the start',
    file: 'agent/agent.ts',
    from: 'webhookOpener(() => live.current.platformKeys',
    to: 'webhookOpener(() => config.platformKeys',
  },
  {
    name: 'an answer that ends lasts until its very end',
    file: 'agent/platform/platform-clock.ts',
    from: 'momentMs - this.nowMs() - clockOffsetMsTolerated - dateResolutionMs',
    to: 'momentMs - this.nowMs()',
  },
  {
    name: 'a purge is synced only once',
    file: 'agent/journal/sqlite-journal.ts',
    from: '      purged = undefined\n      return result',
    to: '      return result',
  },
  {
    name: 'any token is right',
    file: 'agent/loopback/guard.ts',
    from: "!hasToken(headers.get('authorization'), token)",
    to: "!headers.has('authorization')",
  },
  {
    name: 'the intent of a call that was not sent stays',
    file: 'agent/journal/sqlite-journal.ts',
    from: `if (!read(id)) return
      cache.delete(id)
      commitForSure`,
    to: `if (!cache.delete(id)) return
      commitForSure`,
  },
  {
    name: 'a jump of a clock counts as time that it has lasted',
    file: 'agent/clock/window-clock.ts',
    from: 'if (nowMs - ahead.sinceMs < windowMs)',
    to: 'if (clock.wallMs() - believedMs - ahead.sinceMs < windowMs)',
  },
  {
    name: 'a clock that is set back counts as one that is set ahead',
    file: 'agent/clock/window-clock.ts',
    from: 'driftMs) believedMs = foundMs\n',
    to: 'driftMs) believedMs = foundMs < believedMs - driftMs ? 2 * believedMs - foundMs : foundMs\n',
  },
  {
    name: 'a request during a sync gets that sync',
    file: 'agent/durable-files/shared-sync.ts',
    from: `      this.#next = undefined
      this.#running = this.#sync()
`,
    to: `      this.#running = this.#sync().finally(() => void (this.#next = undefined))
`,
  },
  {
    name: 'a heartbeat that says why the agent is not ready is the last one',
    file: 'agent/spool/heartbeat.ts',
    from: 'cancel = clock.after(intervalMs, beat)',
    to: 'if (now.length === 0) cancel = clock.after(intervalMs, beat)',
  },
  {
    name: 'a heartbeat says what was so at the start',
    file: 'agent/spool/heartbeat.ts',
    from: '  const beat = (): void => {\n    const now = reasons()',
    to: '  const now = reasons()\n  const beat = (): void => {',
  },
  {
    name: 'a stop writes no last heartbeat',
    file: 'agent/spool/heartbeat.ts',
    from: "    write({ ready: false, reasons: ['the agent was stopped'] })\n",
    to: '',
  },
  {
    name: 'an agent is ready before a call has gone through',
    file: 'agent/platform/contact.ts',
    from: 'return [unprovenReason]',
    to: 'return []',
  },
  {
    name: 'an attempt without an answer says nothing about the way to the platform',
    file: 'agent/platform/contact.ts',
    from: '} else if (startedMs >= this.#provenMs) {',
    to: '} else if (startedMs >= this.#provenMs && !wasProven) {',
  },
  {
    name: 'a stop waits for no call under way',
    file: 'agent/agent.ts',
    from: 'clock.after(ms, giveUp)',
    to: 'clock.after(ms / 100, giveUp)',
  },
  {
    name: 'a reload leaves the token for the game server',
    file: 'agent/agent.ts',
    from: '() => live.current.webhook?.forwardToken',
    to: '() => config.webhook?.forwardToken',
  },
  {
    name: 'a clock that is set ahead is not noted in the journal',
    file: 'agent/journal/journal-time.ts',
    from: 'if (Math.abs(offsetMs - storedOffsetMs) < offsetToleranceMs) return',
    to: 'if (storedOffsetMs - offsetMs < offsetToleranceMs) return',
  },
  {
    name: 'a stop does not call off the heartbeat',
    file: 'agent/spool/heartbeat.ts',
    from: '    cancel()\n    write({ ready: false',
    to: '    write({ ready: false',
  },
  {
    name: 'a reload that is refused is in use all the same',
    file: 'agent/config/live-config.ts',
    from: `    const errors = changedFixedSettings(before, next).map((name) => \`\${name}: \${cannotChange}\`)
    if (errors.length > 0) return { ok: false, errors }
    this.#current = next
`,
    to: `    this.#current = next
    const errors = changedFixedSettings(before, next).map((name) => \`\${name}: \${cannotChange}\`)
    if (errors.length > 0) return { ok: false, errors }
`,
  },
  {
    name: 'the status shows no age of an order',
    file: 'agent/status/status.ts',
    from: 'oldestAgeS: oldest ? Math.max',
    to: 'oldestAgeS: oldest && nowMs < 0 ? Math.max',
  },
  {
    name: 'the forward token is read once',
    file: 'agent/webhook-bridge/push-to-url.ts',
    from: "  async function push(message: Message): Promise<Reply | 'unanswered'> {\n    const bearer = token()\n",
    to: "  const bearer = token()\n  async function push(message: Message): Promise<Reply | 'unanswered'> {\n",
  },
  {
    name: 'a repetition that was stopped in the middle of its work goes on',
    file: 'agent/clock/repeat.ts',
    from: 'if (!isStopped) cancelTimer =',
    to: 'cancelTimer =',
  },
  {
    name: 'an order that the platform has not confirmed waits for the game server',
    file: 'agent/status/status.ts',
    from: "({ phase }) => phase === 'offered'",
    to: "({ phase }) => phase === 'offered' || phase === 'received'",
  },
  {
    name: 'an answer does not use the space that is kept for it',
    file: 'agent/journal/sqlite-journal.ts',
    from: 'commitForSure(() => calls.replace(call, JSON.stringify(answer), endsAtMs))',
    to: 'room.commit(() => writer.commit(() => calls.replace(call, JSON.stringify(answer), endsAtMs)))',
  },
  {
    name: 'the status shows the keys of the start',
    file: 'agent/agent.ts',
    from: 'config: () => live.current,',
    to: 'config: () => config,',
  },
  {
    name: 'the token of the start is asked for',
    file: 'agent/loopback/server.ts',
    from: '  function judge(head: RequestHead): GuardVerdict {\n    const verdict = guard(head, config.current.token)',
    to: '  const { token } = config.current\n  function judge(head: RequestHead): GuardVerdict {\n    const verdict = guard(head, token)',
  },
  {
    name: 'a reload changes the deadline of calls',
    file: 'agent/config/live-config.ts',
    from: "  callDeadlineMs: 'SERVICE_CALL_DEADLINE_MS',\n",
    to: '',
  },
  {
    name: 'the journal of an agent without a spool forgets nothing',
    file: 'agent/agent.ts',
    from: 'isUnanswered: (id) => config.spoolDir !== undefined && requestFiles.isUnanswered(id),',
    to: 'isUnanswered: (id) => requestFiles.isUnanswered(id),',
  },
  {
    name: 'a reload does not take the token that it would bring',
    file: 'agent/loopback/server.ts',
    from: '? guard(head, config.readToken())',
    to: '? guard(head, config.current.token)',
  },
  {
    name: 'a clock that is set back for a moment ends the day of an order in doubt',
    file: 'agent/orders/questions.ts',
    from: "windowClock(options.clock, dayMs, 'ignored')",
    to: 'windowClock(options.clock, dayMs)',
  },
]
