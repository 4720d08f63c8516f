import { lstatSync, readdirSync, renameSync, unlinkSync } from 'node:fs'
import { join } from 'node:path'
import { observedQuantityOf } from '../../contract/events.ts'
import { decodeUtf8, readStrictJson } from '../../contract/strict-json.ts'
import type { Clock } from '../clock/clock.ts'
import { repeat } from '../clock/repeat.ts'
import { ScanTimer } from '../clock/scan-timer.ts'
import { windowClock } from '../clock/window-clock.ts'
import { readBounded } from '../durable-files/read-bounded.ts'
import { removeUnfinishedFiles, replaceFile } from '../durable-files/replace-file.ts'
import { causeOf, cureOf, isGone } from '../durable-files/system-errors.ts'
import { sentenceOf } from '../language/problem.ts'
import { LimitedLog } from '../log/limited-log.ts'
import type { Log } from '../log/log.ts'
import type { Message } from '../orders/message.ts'
import type { Handover, OnReply, Reply } from '../orders/offers.ts'
import { asciiLine } from '../spool/answer-file.ts'
import { IgnoredNames, mistakeAfterMs } from '../spool/ignored-names.ts'
import { isLikeRequest } from '../spool/names.ts'
import { assertNoLinks, makeDirsIn, type SpoolDirs, spoolReasons } from '../spool/spool-dirs.ts'

export interface EventFilesOptions {
  /** The spool. */
  readonly root: string
  readonly clock: Clock
  readonly log: Pick<Log, 'info' | 'warn'>
  readonly onReply: OnReply
}

/** A file that is no reply yet is read again until it has not changed for this long. */
const quietMs = 2_000
const rejectedKeptMs = 24 * 3_600_000
const retentionIntervalMs = 3_600_000
const messageFile = /^((?:transfer_order|transaction_terminal)-\d+(?:-\d+)?)\.json$/
const rejectedFile = /^(?:transfer_order|transaction_terminal)-\d+(?:-\d+)?\.json\.rejected$/

const cureOfName = 'give a reply the name of its event, for example transfer_order-17.json, in lower case'

/**
 * Hands messages over as files: the agent writes `events/<name>.json`, and the game server answers with
 * `replies/<name>.json`. Both are removed when the reply is durable. A reply that no open message waits for is set aside as
 * `<name>.json.rejected`, and kept for a day.
 */
export class EventFiles implements Handover {
  readonly #options: EventFilesOptions
  readonly #events: string
  readonly #replies: string
  /** The same directories as a spool sees them: replies come in as requests do, and events go out as answers do. */
  readonly #dirs: SpoolDirs
  /** Something has failed since there was no reason. */
  #isInDoubt = false
  #stopRetention: () => void = () => undefined
  readonly #open = new Map<string, Message>()
  /** Over, with files that may still be there: their removal is tried at each scan until it succeeds. */
  readonly #over = new Set<string>()
  /** Written by this process. What a power cut has left of an earlier file is unknown, so it is written again. */
  readonly #written = new Set<string>()
  readonly #halfWritten = new Map<string, { readonly stamp: string; readonly sinceMs: number }>()
  readonly #ignored: IgnoredNames<'not-a-reply-name'>
  readonly #timer: ScanTimer
  /** By place, so that each is reported once. */
  readonly #problems = new Map<string, string>()

  constructor(options: EventFilesOptions) {
    this.#options = options
    this.#events = join(options.root, 'events')
    this.#replies = join(options.root, 'replies')
    this.#dirs = { root: options.root, outbox: this.#replies, inbox: this.#events }
    const limitedLog = new LimitedLog(options.log, options.clock)
    this.#ignored = new IgnoredNames(options.clock, (name, why) =>
      limitedLog.warn({ name, why, cure: cureOfName }, 'ignored in the spool'),
    )
    this.#timer = new ScanTimer(options.clock, () => this.#scan())
  }

  /**
   * Removes what an earlier agent left of messages that are not open any more, reads the replies that are there, and goes on
   * reading until it is stopped.
   *
   * @param open Every open message, by the ledger.
   */
  async start(open: readonly Message[]): Promise<void> {
    for (const message of open) this.#open.set(message.name, message)
    this.#try(this.#events, () => {
      this.#checkDirs()
      removeUnfinishedFiles(this.#events)
      for (const name of this.#namesIn(this.#events)) if (!this.#open.has(name)) this.#over.add(name)
    })
    for (const reason of this.reasons()) this.#options.log.warn(reason)
    const nowMs = windowClock(this.#options.clock, rejectedKeptMs)
    this.#stopRetention = repeat(this.#options.clock, retentionIntervalMs, async () => {
      this.#try(this.#replies, () => this.#removeRejectedBefore(nowMs() - rejectedKeptMs))
    })
    await this.#timer.start()
  }

  stop(): Promise<void> {
    this.#stopRetention()
    return this.#timer.stop()
  }

  close(): Promise<void> {
    return this.stop()
  }

  /** Why orders are not handed over by files, each with its cure. Empty when they are. */
  reasons(): readonly string[] {
    const reasons = spoolReasons(this.#dirs, this.#isInDoubt)
    this.#isInDoubt &&= reasons.length > 0
    return reasons.map(sentenceOf)
  }

  async offer(message: Message): Promise<'unanswered' | 'waiting'> {
    const { name, text } = message
    this.#open.set(name, message)
    this.#over.delete(name)
    const isThere = (path: string) => lstatSync(path, { throwIfNoEntry: false }) !== undefined
    const path = this.#fileIn(this.#events, name)
    let result: 'unanswered' | 'waiting' = 'waiting'
    this.#try(path, () => {
      if ((this.#written.has(name) && isThere(path)) || isThere(this.#fileIn(this.#replies, name))) return
      this.#checkDirs()
      replaceFile(path, asciiLine(text), 0o644)
      this.#written.add(name)
      result = 'unanswered'
    })
    return result
  }

  withdraw({ name }: Message): void {
    this.#open.delete(name)
    this.#written.delete(name)
    this.#over.add(name)
    this.#remove(name)
  }

  async #scan(): Promise<void> {
    for (const name of this.#over) this.#remove(name)
    let names: readonly string[] = []
    this.#try(this.#replies, () => {
      this.#checkDirs()
      names = this.#repliesByAge()
    })
    for (const name of names) await this.#read(name)
    for (const name of this.#halfWritten.keys()) if (!names.includes(name)) this.#halfWritten.delete(name)
  }

  async #read(name: string): Promise<void> {
    if (this.#over.has(name)) return
    const message = this.#open.get(name)
    if (!message) return this.#setAside(name, 'no event of this name waits for a reply')
    let reply: Reply | undefined
    this.#try(this.#fileIn(this.#replies, name), () => {
      reply = this.#replyOrWait(name, message)
    })
    if (reply) await this.#options.onReply(message, reply)
  }

  /** The reply in a file; undefined where there is none yet. What stays no reply is set aside. */
  #replyOrWait(name: string, message: Message): Reply | undefined {
    const read = readBounded(this.#fileIn(this.#replies, name))
    if (read === 'gone') return undefined
    const reply = typeof read === 'string' ? undefined : replyIn(read.bytes, message)
    if (reply) return reply
    const stamp = typeof read === 'string' ? read : read.stamp
    const before = this.#halfWritten.get(name)
    const nowMs = this.#options.clock.monotonicMs()
    if (before?.stamp !== stamp) this.#halfWritten.set(name, { stamp, sinceMs: nowMs })
    else if (nowMs - before.sinceMs >= quietMs) this.#setAside(name, whyNoReply(read))
    return undefined
  }

  #setAside(name: string, reason: string): void {
    this.#halfWritten.delete(name)
    const path = this.#fileIn(this.#replies, name)
    let isAside = false
    this.#try(path, () => {
      try {
        renameSync(path, `${path}.rejected`)
        isAside = true
      } catch (error) {
        // Withdrawn since the scan saw it.
        if (!isGone(error)) throw error
      }
    })
    if (isAside) this.#options.log.warn({ name: `${name}.json`, reason }, 'reply set aside')
  }

  /** The event first: a game server that finds it answers it again, and that reply would have no event. */
  #remove(name: string): void {
    const isRemoved = this.#try(this.#fileIn(this.#events, name), () => {
      for (const dir of [this.#events, this.#replies]) {
        try {
          unlinkSync(this.#fileIn(dir, name))
        } catch (error) {
          if (!isGone(error)) throw error
        }
      }
    })
    if (isRemoved) this.#over.delete(name)
  }

  #removeRejectedBefore(beforeMs: number): void {
    for (const name of readdirSync(this.#replies)) {
      const path = join(this.#replies, name)
      const stat = rejectedFile.test(name) ? lstatSync(path, { throwIfNoEntry: false }) : undefined
      if (stat?.isFile() && stat.ctimeMs < beforeMs) unlinkSync(path)
    }
  }

  /** @throws {SpoolUnusableError} One of them is a link. */
  #checkDirs(): void {
    assertNoLinks([this.#events, this.#replies])
    for (const { dir, mode } of makeDirsIn(this.#options.root, [this.#events, this.#replies]))
      this.#options.log.info({ dir, mode }, 'made a directory of the spool')
  }

  /** Reports a problem once, and not at each scan. */
  #try(where: string, act: () => void): boolean {
    try {
      act()
      this.#problems.delete(where)
      return true
    } catch (error) {
      this.#isInDoubt = true
      const cause = causeOf(error as Error)
      if (this.#problems.get(where) !== cause)
        this.#options.log.warn(
          { where, cause, cure: cureOf(error as Error) },
          'orders cannot be handed over by files; it is tried again',
        )
      this.#problems.set(where, cause)
      return false
    }
  }

  /** Oldest first, because the newest reply has the newest observation of an item. */
  #repliesByAge(): string[] {
    for (const name of readdirSync(this.#replies))
      if (isLikeRequest(name) && !messageFile.test(name)) this.#ignored.add(name, 'not-a-reply-name', mistakeAfterMs)
    this.#ignored.endScan()
    const replies = this.#namesIn(this.#replies).map((name) => {
      const stat = lstatSync(this.#fileIn(this.#replies, name), { throwIfNoEntry: false })
      return { name, writtenMs: stat?.mtimeMs ?? 0 }
    })
    return replies.sort((one, other) => one.writtenMs - other.writtenMs).map(({ name }) => name)
  }

  #namesIn(dir: string): string[] {
    return readdirSync(dir).flatMap((name) => messageFile.exec(name)?.[1] ?? [])
  }

  #fileIn(dir: string, name: string): string {
    return join(dir, `${name}.json`)
  }
}

function whyNoReply(read: Exclude<ReturnType<typeof readBounded>, 'gone'>): string {
  if (read === 'no-right') return "the agent may not read it: give its user the right, or use the spool's group"
  if (read === 'not-regular') return 'it is not a regular file'
  return 'it is not {"observedQuantity": n}'
}

/** What a file says; undefined where it is no reply to this message. */
function replyIn(bytes: Uint8Array, { event }: Message): Reply | undefined {
  const reading = readStrictJson(decodeUtf8(bytes)?.replace(/^\ufeff/, '') ?? '')
  if (!reading.ok) return undefined
  if (event === 'transaction_terminal') return { observedQuantity: undefined }
  const observedQuantity = observedQuantityOf(reading.object.value)
  return observedQuantity === undefined ? undefined : { observedQuantity }
}
