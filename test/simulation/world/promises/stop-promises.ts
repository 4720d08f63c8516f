import { basename } from 'node:path'
import type { AttemptResult } from '../../../../agent/platform/attempt-result.ts'
import { ownFileOf } from '../../../../agent/spool/names.ts'
import { notedRepairsIn } from '../../agent/model-outside.ts'
import type { Inode } from '../../disk/inode.ts'
import type { ModelHost } from '../../host.ts'
import type { ModelDatabase } from '../../stores/model-database.ts'
import type { StopWatch } from '../agent-program.ts'
import type { ModelPlatform } from '../model-platform.ts'
import type { SentRequest } from '../sent-request.ts'
import type { GivenCall } from '../witnessed.ts'
import { outcomeOf } from './attempt-outcome.ts'
import type { Break } from './judge.ts'
import { stockOf } from './stock-of.ts'

const dirs = ['', '/outbox', '/inbox', '/events', '/replies']

/** Longer than an attempt may arrive late. */
const stillMsMin = 60_000
/** A stop gives calls under way ten seconds. */
const graceMsMin = 9_000
/** An attempt may arrive so late at least. */
const lateMsMin = 20_000

export interface StopParts {
  readonly break: Break
  readonly host: ModelHost
  readonly spool: string
  /** Of the agent's own store; undefined for one that others share. */
  readonly journal: ModelDatabase | undefined
  readonly platform: ModelPlatform
  readonly nowMs: () => number
  /** When the process that runs now was started. */
  readonly startedMs: () => number
  /** Whether a report waits to be sent: it has a stock too. */
  readonly hasReports: () => boolean
}

/**
 * A stop ends, and calls under way have ten seconds before it does. It claims no other request. A clean one leaves no claim and
 * no temporary file (I9). It gives no request its name back that an earlier agent may have sent. The next start expects what may
 * arrive late, and nothing else.
 */
export class StopPromises {
  readonly #parts: StopParts
  /** When something with a stock left last: a request, or any 2xx, because one without a stock is noted too. */
  #lastLateMs = Number.NEGATIVE_INFINITY
  /** Requests with a stock that may arrive late, and some that were sent too long ago for that. */
  readonly #unanswered = new Set<{ readonly itemRef: string; readonly atMs: number }>()
  /** Calls over HTTP without an answer, and which process took each. */
  readonly #underWay = new Map<GivenCall, number>()
  /** When each claim was made. */
  readonly #claimedMs = new WeakMap<Inode, number>()
  /** The last stop. */
  #stop: { readonly processMs: number; readonly diskChanges: number; claims: number } | undefined

  constructor(parts: StopParts) {
    this.#parts = parts
  }

  /** A request leaves for the platform. @returns Called when the attempt has ended. */
  onSent(request: SentRequest): ((result: AttemptResult) => void) | undefined {
    const stock = stockOf(request, this.#parts.platform)
    if (!stock) return undefined
    const sent = { itemRef: stock.itemRef, atMs: this.#parts.nowMs() }
    this.#lastLateMs = sent.atMs
    for (const before of this.#unanswered) if (before.atMs + lateMsMin < sent.atMs) this.#unanswered.delete(before)
    this.#unanswered.add(sent)
    return (result) => {
      if (outcomeOf(result) !== 'open') this.#unanswered.delete(sent)
    }
  }

  onTaken(call: GivenCall): void {
    this.#underWay.set(call, this.#parts.startedMs())
  }

  onGiven(call: GivenCall): void {
    this.#underWay.delete(call)
  }

  /** A file of the spool has got another name, perhaps that of a claim. */
  onRenamed(_from: string, to: string): void {
    const { host, nowMs } = this.#parts
    const file = host.disk.find(to, 'stat')
    if (!file || ownFileOf(basename(to))?.kind !== 'claim') return
    this.#claimedMs.set(file, nowMs())
    const stop = this.#stop
    if (stop?.processMs !== this.#parts.startedMs() || host.diskFaults.changes !== stop.diskChanges) return
    stop.claims++
    // One at a time: the first one was begun before the stop.
    if (stop.claims > 1) this.#parts.break('an agent that stops claims no other request', `${host.name}: ${to}`)
  }

  /** The answer to a webhook is a 2xx. */
  onAcknowledged(): void {
    this.#lastLateMs = this.#parts.nowMs()
  }

  /** A stop begins. Only after the storm: in it timers may be late, and a process may be paused. */
  onStop(): StopWatch {
    const { host, nowMs } = this.#parts
    const beganMs = nowMs()
    const before = new Set(this.#ownFiles('claim', 'done'))
    const ofEarlier = this.#claimsOfEarlier()
    const { changes } = host.diskFaults
    this.#stop = { processMs: this.#parts.startedMs(), diskChanges: changes, claims: 0 }
    const isUndisturbed = () => host.diskFaults.isHealthy && host.diskFaults.changes === changes
    const onEnded = () => {
      const cutOff = this.#callsUnderWay()[0]
      if (cutOff && nowMs() < beganMs + graceMsMin)
        this.#parts.break('a stop gives calls under way ten seconds', `${host.name}: ${JSON.stringify(cutOff)}`)
      // One of an earlier agent may have been sent, so it stays.
      const claim = this.#ownFiles('claim', 'done').find((file) => !before.has(file))
      if (claim !== undefined) this.#parts.break('a stop leaves no claim', claim)
      for (const [request, file] of ofEarlier)
        if (host.disk.find(request, 'stat') === file)
          this.#parts.break('a stop gives no request its name back that an earlier agent claimed', request)
      const [temporary] = this.#ownFiles('temporary')
      // One that could not be removed stays until the next start.
      if (temporary !== undefined && !host.diskFaults.failedCalls.has('unlink'))
        this.#parts.break('a stop leaves no temporary file', temporary)
      if (!isUndisturbed()) return
      this.#checkWhatIsExpected()
      if (this.#textOfHeartbeat().includes('"ready":true'))
        this.#parts.break('agent.json says that the agent was stopped', host.name)
    }
    const onLate = () => {
      if (isUndisturbed()) this.#parts.break('a stop ends', host.name)
    }
    return { onEnded, onLate }
  }

  /** Of the process that runs now. */
  #callsUnderWay(): readonly GivenCall[] {
    const processMs = this.#parts.startedMs()
    for (const [call, startedMs] of this.#underWay) if (startedMs !== processMs) this.#underWay.delete(call)
    return [...this.#underWay.keys()]
  }

  #checkWhatIsExpected(): void {
    const { journal, host, nowMs, startedMs, hasReports } = this.#parts
    if (!journal) return
    const lateMs = Number(journal.db.prepare('SELECT attempt_lifetime_ms FROM journal').get()?.['attempt_lifetime_ms'])
    if (lateMs > 0 && !hasReports() && nowMs() > Math.max(startedMs(), this.#lastLateMs) + stillMsMin)
      this.#parts.break('a stop when nothing is on its way leaves nothing to wait for', `${host.name}: ${lateMs} ms`)
    if (lateMs > 0) return
    const repaired = notedRepairsIn(journal.db)
    for (const { itemRef, atMs } of this.#unanswered)
      if (nowMs() < atMs + lateMsMin && !repaired.has(itemRef))
        this.#parts.break('a stop while a stock is on its way leaves something to wait for', itemRef)
  }

  /** Empty without a spool. */
  #textOfHeartbeat(): string {
    const { host, spool } = this.#parts
    const path = `${spool}/agent.json`
    return host.disk.find(path, 'stat') ? host.disk.textOf(path) : ''
  }

  /** The claims of earlier processes, which may have sent them, by the name that each request had. */
  #claimsOfEarlier(): ReadonlyMap<string, Inode> {
    const { spool, host, startedMs } = this.#parts
    const outbox = `${spool}/outbox`
    const claims = new Map<string, Inode>()
    for (const name of host.disk.namesIn(outbox)) {
      const own = ownFileOf(name)
      const file = host.disk.find(`${outbox}/${name}`, 'stat')
      if (own?.kind !== 'claim' || !file) continue
      const claimedMs = this.#claimedMs.get(file) ?? Number.NEGATIVE_INFINITY
      if (claimedMs < startedMs()) claims.set(`${outbox}/${own.id}.json`, file)
    }
    return claims
  }

  #ownFiles(...kinds: readonly string[]): readonly string[] {
    const { name, disk } = this.#parts.host
    return dirs.flatMap((dir) =>
      disk
        .namesIn(`${this.#parts.spool}${dir}`)
        .filter((file) => kinds.includes(ownFileOf(file)?.kind ?? ''))
        .map((file) => `${name} ${dir}/${file}`),
    )
  }
}
