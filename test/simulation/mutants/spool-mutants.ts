import type { Mutant } from './mutant.ts'

/** Faults in how request files are claimed, read and answered. */
export const spoolMutants: readonly Mutant[] = [
  {
    name: 'a start removes every hidden file',
    file: 'agent/durable-files/replace-file.ts',
    from: '/^\\.[0-9a-f]{32}\\.tmp$/',
    to: '/^\\..+\\.tmp$/',
  },
  {
    name: 'an answer is shown before its request is consumed',
    file: 'agent/spool/publish.ts',
    from: 'await unlessNoFile(isKept',
    to: `await fs.rename(join(dirs.outbox, name + '.done'), join(dirs.inbox, name)).catch(() => undefined)
    await unlessNoFile(isKept`,
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
    name: 'the outbox is not synced before the claim goes',
    file: 'agent/spool/publish.ts',
    from: 'await awaitSync(syncs.sync(dirs.outbox))\n  return',
    to: 'return',
  },
  {
    name: 'a start does not read the claims of an earlier agent',
    file: 'agent/spool/requests.ts',
    from: 'return firstOf(orphaned, isActive) ?? firstOf(waiting, isActive)',
    to: 'return firstOf(waiting, isActive)',
  },
  {
    name: 'an unread answer takes the place of an older one',
    file: 'agent/spool/claim.ts',
    from: 'isTaken ? another : aside',
    to: 'isTaken && another === name ? another : aside',
  },
  {
    name: 'a file that could not be claimed keeps its slot',
    file: 'agent/spool/requests.ts',
    from: 'this.#active.delete(keyOf(id))\n    this.#deferred.set',
    to: 'void id\n    this.#deferred.set',
  },
  {
    name: 'an earlier claim of a file is forgotten',
    file: 'agent/spool/request-path.ts',
    from: 'const call = { ...read, claimedBefore: claim.claimedBefore }',
    to: 'const call = read',
  },
  {
    name: 'a spool that starts late finds no answer of its claims',
    file: 'agent/spool/requests.ts',
    from: 'return !this.#isRecovered || this.isActive(id)',
    to: 'return this.isActive(id)',
  },
  {
    name: 'the claim of a purchase is not synced',
    file: 'agent/spool/request-path.ts',
    from: '  if (isOnce(call)) await awaitSync(spool.syncs.sync(spool.dirs.outbox))\n',
    to: '  void [isOnce, awaitSync]\n',
  },
  {
    name: 'a full disk keeps temporary files',
    file: 'agent/durable-files/replace-file.ts',
    from: '    files.rmSync(temporary, { force: true })\n    throw error',
    to: "    if ((error as NodeJS.ErrnoException).code === 'EIO') files.rmSync(temporary, { force: true })\n    throw error",
  },
  {
    name: 'the claim of a journal that could forget nothing counts as its own',
    file: 'agent/spool/own-files.ts',
    from: 'owner !== journal.name ?',
    to: '!owner.startsWith(journal.name) ?',
  },
  {
    name: 'a stop does not wait for answers that are being published',
    file: 'agent/spool/requests.ts',
    from: "['claiming', 'calling', 'publishing'])",
    to: "['claiming', 'calling'])",
  },
  {
    name: 'an answer counts as durable although it may come back',
    file: 'agent/spool/publish.ts',
    from: 'Promise.all([syncs.syncPatiently(dirs.outbox), syncs.syncPatiently(dirs.inbox)])',
    to: 'syncs.syncPatiently(dirs.inbox)',
  },
  {
    name: 'a claim that gets its name back may be lost',
    file: 'agent/spool/claim.ts',
    from: '  await awaitSync(syncs.sync(outbox))\n  await fs.unlink(from)',
    to: '  void awaitSync\n  await fs.unlink(from)',
  },
  {
    name: 'a file counts as written two seconds after its first look',
    file: 'agent/spool/request-path.ts',
    from: 'const sinceMs = before?.stamp === reading.stamp ? before.sinceMs : nowMs',
    to: 'const { sinceMs } = before ?? { sinceMs: nowMs }',
  },
  {
    name: 'a start does not sync what a killed agent removed',
    file: 'agent/spool/own-files.ts',
    from: '  await awaitSync(syncs.sync(dirs.outbox))\n',
    to: '',
  },
  {
    name: 'a call whose turn has come is not begun while the agent stops',
    file: 'agent/spool/requests.ts',
    from: '  if (withTurn) return inSlots',
    to: '  if (limits.isStopping) return undefined\n  if (withTurn) return inSlots',
  },
  {
    name: 'a stop gives a request its name back that an earlier agent claimed',
    file: 'agent/spool/spool-worker.ts',
    from: '    if (request.claimedBefore !== undefined) return\n',
    to: '',
  },
  {
    name: 'a claim takes the place of a newer request of its name',
    file: 'agent/spool/claim.ts',
    from: "    if (isGone(error) || (error as NodeJS.ErrnoException).code === 'EEXIST') return\n",
    to: '    if (isGone(error)) return\n    files.rmSync(to, { force: true })\n',
  },
  {
    name: 'a text that is cut off is called garbage',
    file: 'agent/spool/request-file.ts',
    from: 'isInString || open > 0 ||',
    to: 'isInString ||',
  },
  {
    name: 'a file that was replaced stays open',
    file: 'agent/durable-files/replace-file.ts',
    from: '    files.closeSync(fd)\n',
    to: '',
  },
  {
    name: 'a claim whose rename reported a failure is forgotten',
    file: 'agent/spool/claim.ts',
    from: 'if (!files.lstatSync(path, { throwIfNoEntry: false })) return undefined',
    to: 'return undefined',
  },
  {
    name: 'an answer whose claim is gone is not shown',
    file: 'agent/spool/publish.ts',
    from: "if (!isGone(error) && (error as NodeJS.ErrnoException).code !== 'EISDIR') throw error",
    to: "if ((error as NodeJS.ErrnoException).code !== 'EISDIR') throw error",
  },
  {
    name: 'an outbox is read again only after a change',
    file: 'agent/spool/outbox-scan.ts',
    from: 'if (mtimeNs === this.#changedAtNs && nowMs - this.#readAtMs < trustedMs) return false',
    to: 'if (mtimeNs === this.#changedAtNs) return false',
  },
  {
    name: 'a refusal may be read before its claim is gone for good',
    file: 'agent/spool/request-path.ts',
    from: "answer.ok ? 'remove' : 'remove-for-good'",
    to: "'remove'",
  },
  {
    name: 'the age of a request that its game server has removed is shown',
    file: 'agent/spool/requests.ts',
    from: 'if (!this.#isClaimed(name)) this.#seenMs.delete(name)',
    to: 'void this.#isClaimed(name)',
  },
  {
    name: 'the deadline of a file begins before its turn',
    file: 'agent/spool/request-path.ts',
    from: 'if (await turn.mustWait()) {',
    to: 'if ((await turn.mustWait()) && spool.stopping.aborted) {',
  },
  {
    name: 'what looks like a request and is none is not named',
    file: 'agent/spool/outbox-scan.ts',
    from: 'this.#ignored.add(name, why)\n  }',
    to: 'void [name, why]\n  }',
  },
  {
    name: 'the last claim of an earlier agent is called first',
    file: 'agent/spool/own-files.ts',
    from: 'Number(ofA.ctimeNs - ofB.ctimeNs)',
    to: 'Number(ofB.ctimeNs - ofA.ctimeNs)',
  },
  {
    name: 'an answer that a start shows is remembered only since it was written',
    file: 'agent/spool/own-files.ts',
    from: '  await restartWindow(id, recovering)\n  try',
    to: '  try',
  },
  {
    name: 'a spool that could not be locked at the start is served without the lock',
    file: 'agent/ownership/late-ownership.ts',
    from: 'own().assertSameDir()',
    to: 'ownership?.assertSameDir()',
  },
  {
    name: 'a spool that could not be locked at the start is never locked',
    file: 'agent/ownership/late-ownership.ts',
    from: '() => own().assertSameDir()',
    to: `() => {
      if (!ownership) throw new DirUnusableError(dir.setting, dir.path, 'not locked', 'start again', undefined, true)
      ownership.assertSameDir()
    }`,
  },
  {
    name: 'a queued file keeps a turn that comes while the agent stops',
    file: 'agent/spool/request-path.ts',
    from: '      turn.release()\n      return undefined',
    to: '      return undefined',
  },
  {
    name: 'a claim that is gone keeps an answer from being shown',
    file: 'agent/spool/publish.ts',
    from: 'await unlessNoFile(isKept ?',
    to: 'await (isKept ? unlessNoFile : (gone: Promise<void>) => gone)(isKept ?',
  },
  {
    name: 'a purge forgets an id whose answer waits to be written',
    file: 'agent/spool/requests.ts',
    from: '!this.#isRecovered || this.isActive(id) ||',
    to: "!this.#isRecovered || ![undefined, 'publishing'].includes(this.#active.get(keyOf(id))?.at) ||",
  },
  {
    name: 'a start does not note the events that are there',
    file: 'agent/orders/order-files.ts',
    from: 'if (isChannel) for (const event of events) this.#shown.set(event.name, event)',
    to: '',
  },
  {
    name: 'a stop gives a claim its name back over a newer request',
    file: 'agent/spool/claim.ts',
    from: '    files.linkSync(from, to)',
    to: '    files.renameSync(from, to)',
  },
  {
    name: 'an empty file is refused after 2 s',
    file: 'agent/spool/request-path.ts',
    from: 'if (nowMs - sinceMs >= (reading.isEmpty ? quietEmptyMs : quietMs)) return',
    to: 'if (nowMs - sinceMs >= quietMs) return',
  },
  {
    name: 'another user cannot read the answers',
    file: 'agent/spool/publish.ts',
    from: "'wx', 0o644",
    to: "'wx', 0o600",
  },
  {
    name: 'a file that a scanner has open is refused at once',
    file: 'agent/spool/request-file.ts',
    from: "return { ...refused(refuse('FILE_NOT_READABLE'), read), kind: 'half-written', stamp: read, isEmpty: false }",
    to: "return refused(refuse('FILE_NOT_READABLE'), read)",
  },
  {
    name: 'an agent continues in a spool that was moved away and replaced',
    file: 'agent/spool/spool.ts',
    from: `    checkDirs() {
      assertOwned()
      watch()
    },`,
    to: `    checkDirs() {
      watch()
    },`,
  },
  {
    name: 'a second request of an id is claimed before a power cut cannot take back the answer to the first',
    file: 'agent/spool/request-path.ts',
    from: `    await published.durable
    spool.remove(claim)
`,
    to: `    spool.remove(claim)
    await published.durable
`,
  },
  {
    name: 'files that wait for their item use the slots of all others',
    file: 'agent/spool/requests.ts',
    from: 'Math.max(0, queued - limits.queuedMax) +',
    to: 'queued +',
  },
  {
    name: 'a start calls a request whose name an ended agent was giving back, and then its file once more',
    file: 'agent/spool/own-files.ts',
    from: `isSameFile(files, join(dirs.outbox, \`\${own.id}.json\`), stat)`,
    to: `isSameFile(files, join(dirs.inbox, \`\${own.id}.json\`), stat)`,
  },
  {
    name: 'an agent that cannot write answers into its spool is ready',
    file: 'agent/spool/spool.ts',
    from: `    isInDoubt = true
    report.onError(where, error)
`,
    to: `    report.onError(where, error)
`,
  },
  {
    name: 'an agent that waits for its spool is ready',
    file: 'agent/spool/start-spool.ts',
    from: "reasons: () => (state.at === 'working' ? state.spool.reasons() : [state.reason]),",
    to: "reasons: () => (state.at === 'working' ? state.spool.reasons() : []),",
  },
  {
    name: 'the status shows the age of the newest request file in place of the oldest',
    file: 'agent/spool/requests.ts',
    from: 'return this.#seenMs.values().next().value',
    to: 'return [...this.#seenMs.values()].at(-1)',
  },
  {
    name: 'a file is refused 2 s after it was not whole, although it is still written',
    file: 'agent/spool/request-path.ts',
    from: 'const sinceMs = before?.stamp === reading.stamp ? before.sinceMs : nowMs',
    to: 'const sinceMs: number = before?.sinceMs ?? nowMs',
  },
  {
    name: 'a call whose turn comes during a stop gets no slot',
    file: 'agent/spool/requests.ts',
    from: 'if (withTurn) return inSlots < limits.slots ? withTurn : undefined',
    to: 'if (withTurn) return !limits.isStopping && inSlots < limits.slots ? withTurn : undefined',
  },
]
