import { orderLines } from '../../../../agent/orders/order-changes.ts'
import type { AttemptResult } from '../../../../agent/platform/attempt-result.ts'
import type { DiskFaults } from '../../disk/disk-faults.ts'
import { startOfRunMs } from '../../host-clock.ts'
import type { Day } from '../day.ts'
import type { ModelPlatform } from '../model-platform.ts'
import type { SentRequest } from '../sent-request.ts'
import type { LoggedLine } from '../witnessed.ts'
import { askedWaitMs, isAskedToWaitUntil } from './asked-wait.ts'
import { outcomeOf } from './attempt-outcome.ts'
import type { ProcessParts } from './judge.ts'

/** A process does not know what the platform asked an earlier one for. */
interface ReportPromisesParts extends ProcessParts {
  readonly diskFaults: Pick<DiskFaults, 'changes' | 'isHealthy'>
  readonly platform: ModelPlatform
  readonly day: Day
}

/** A report that the platform has not accepted. */
interface Refused {
  readonly startedMs: number
  readonly sinceMs: number
  /** How many long waits have followed each other. The attempts of one report follow each other sooner. */
  readonly waits: number
  /** When the next one may leave, and by when it must. */
  readonly fromMs: number
  readonly untilMs: number
}

/** A report that the platform has accepted. */
interface Accepted {
  readonly startedMs: number
  readonly atMs: number
  readonly diskChanges: number
}

/** What the ledger may need to note it, and the attempts that were under way. */
const notedMsMax = 15_000
/** No platform needs more. */
const waitMsMax = 3_600_000
const delayMsFirst = 1_000
const delayMsMax = 300_000
/** The first waits are as short as those between the attempts of a report. */
const waitMsMin = 5_000
const shortWaits = 3
/** After this many the wait does not get longer. */
const waitsMax = 8
/** Of a report with all its attempts. */
const deadlineMs = 31_000
/** The platform may be asked before, and every request may be slow. */
const patienceMs = 60_000
/** What the clock of a host may drift. */
const driftRate = 0.01

/** What an agent promises about the results that it reports by itself: until the platform accepts them, and at its pace. */
export class ReportPromises {
  readonly #parts: ReportPromisesParts
  readonly #refused = new Map<number, Refused>()
  /** By transaction, until it is handed over again. */
  readonly #accepted = new Map<number, Accepted>()
  /** By transaction, when the process was started that has an attempt under way. */
  readonly #underWay = new Map<number, number>()
  /** Transactions whose last report was `TEMPORARY`. */
  readonly #temporary = new Set<number>()
  /** Until when an attempt may belong to an earlier reply, by transaction. */
  readonly #earlierUntilMs = new Map<number, number>()

  constructor(parts: ReportPromisesParts) {
    this.#parts = parts
  }

  /** @returns Called when the attempt has ended. */
  onSent({ operation, transactionId: id, input }: SentRequest): ((result: AttemptResult) => void) | undefined {
    const { nowMs, startedMs } = this.#parts
    if (id === undefined || operation === 'transaction.get') return undefined
    const sentMs = nowMs()
    const before = this.#refused.get(id)
    const isSame = before?.startedMs === startedMs()
    if (isSame && sentMs < before.fromMs)
      this.#parts.break('a result is not reported before the platform allows it', `${id}, ${before.fromMs - sentMs} ms`)
    this.#checkAccepted(id)
    this.#refused.delete(id)
    this.#underWay.set(id, startedMs())
    if (input['reason'] === 'TEMPORARY') this.#temporary.add(id)
    else this.#temporary.delete(id)
    return (result) => {
      this.#underWay.delete(id)
      this.#noteAccepted(id, result)
      if (result.kind === 'answered' && result.status < 300) return
      if (nowMs() < (this.#earlierUntilMs.get(id) ?? 0)) return
      const waitMs = Math.min(askedWaitMs(result), waitMsMax)
      const isAfterWait = isSame && sentMs > before.sinceMs + waitMsMin
      const waits = (isSame ? before.waits : 0) + (isAfterWait ? 1 : 0)
      const longestMs = isAskedToWaitUntil(result) ? waitMsMax : waitMs
      const delayMs = Math.max(longestMs, Math.min(delayMsMax, delayMsFirst * 2 ** (waits + shortWaits)))
      this.#refused.set(id, {
        ...{ startedMs: startedMs(), sinceMs: nowMs(), waits },
        fromMs: nowMs() + waitMs * (1 - driftRate),
        untilMs: nowMs() + delayMs * (1 + driftRate) + patienceMs,
      })
    }
  }

  /** A page of a proxy accepts nothing. */
  #noteAccepted(transactionId: number, result: AttemptResult): void {
    const { nowMs, startedMs, diskFaults } = this.#parts
    const accepted = { startedMs: startedMs(), atMs: nowMs(), diskChanges: diskFaults.changes }
    if (outcomeOf(result) === 'accepted') this.#accepted.set(transactionId, accepted)
    else this.#accepted.delete(transactionId)
  }

  #checkAccepted(transactionId: number): void {
    const { nowMs, startedMs, diskFaults } = this.#parts
    const accepted = this.#accepted.get(transactionId)
    const isUndisturbed = diskFaults.isHealthy && accepted?.diskChanges === diskFaults.changes
    if (accepted?.startedMs !== startedMs() || !isUndisturbed || nowMs() < accepted.atMs + notedMsMax) return
    this.#parts.break('a result that the platform has accepted is not reported again', String(transactionId))
  }

  /** The platform has sent the order again. After a `TEMPORARY` it may mean a new transfer. */
  onLogged({ msg, transactionId = 0 }: LoggedLine): void {
    if (msg === orderLines.received || msg === orderLines.openAgain) this.#accepted.delete(transactionId)
    if (msg === orderLines.received && this.#temporary.has(transactionId)) this.onHandedOver(transactionId)
  }

  /** The game server may say something else now. The report of its earlier reply may still be tried until its deadline. */
  onHandedOver(transactionId: number): void {
    this.#accepted.delete(transactionId)
    const { nowMs, startedMs } = this.#parts
    const isUnderWay = this.#underWay.get(transactionId) === startedMs()
    if (this.#refused.delete(transactionId) || isUnderWay) this.#earlierUntilMs.set(transactionId, nowMs() + deadlineMs)
  }

  /** No agent runs, or nothing can be noted, so no report of `TEMPORARY` leaves. Each try that fails makes the next wait longer. */
  holdUp(): void {
    const heldUntilMs = this.#parts.nowMs() + delayMsMax * (1 + driftRate) + patienceMs
    for (const [id, refused] of this.#refused)
      this.#refused.set(id, { ...refused, waits: waitsMax, untilMs: Math.max(refused.untilMs, heldUntilMs) })
  }

  /** Every agent runs, and every request arrives. */
  check(): void {
    const { nowMs, startedMs, platform, day } = this.#parts
    for (const [id, refused] of this.#refused) {
      // In the storm something may have held it up.
      if (refused.sinceMs < day.stormEndedMs && nowMs() < day.stormEndedMs + delayMsMax) continue
      const isDue = refused.startedMs === startedMs() && nowMs() > refused.untilMs
      const { transactions } = platform.composed.platform.tables
      const last = transactions.historyOf(id).at(-1)
      // A retryAt after the failure: the platform accepted TEMPORARY, although the agent was not told.
      const isAccepted = (transactions.byId(id)?.retryAt ?? 0) - startOfRunMs > refused.sinceMs
      // After a dispute the platform sends the order again.
      const isAwaited = last?.deliveryStatus === 'AGUARDANDO_SERVIDOR' && last.at - startOfRunMs < refused.sinceMs
      if (isDue && isAwaited && !isAccepted)
        this.#parts.break('a result is reported until the platform accepts it', String(id))
    }
  }
}
