import { link, rename } from 'node:fs/promises'
import { join } from 'node:path'
import pLimit from 'p-limit'
import { limits } from '../../contract/limits.ts'
import { type CallAnswer, refusal } from '../call/answer.ts'
import type { Call } from '../call/call.ts'
import type { Clock } from '../clock.ts'
import { answerFileText } from './answer-file.ts'
import { type LeftClaim, settleLeftovers } from './leftovers.ts'
import { Line, type LinePlace } from './line.ts'
import { OutboxScan } from './outbox-scan.ts'
import type { PatientFs } from './patient-fs.ts'
import { type ClaimEnd, publish, SyncFailedError, unlessGone } from './publish.ts'
import { type RequestReading, readRequestFile } from './request-file.ts'
import { isCaseInsensitive, makeSpoolDirs, type SpoolDirs } from './spool-dirs.ts'

export interface SpoolWorkerOptions {
  readonly dirs: SpoolDirs
  readonly fs: PatientFs
  readonly clock: Clock
  /** The journal's name, which every claim carries. */
  readonly owner: string
  readonly answerCall: (call: Call) => Promise<CallAnswer>
  /** Forgets an id whose window has passed, before its name is claimed anew. */
  readonly forgetEnded: (id: string) => Promise<void>
  /** Requests that are claimed and not answered, by id. The worker keeps it; the journal reads it. */
  readonly unanswered: Set<string>
  readonly events: SpoolEvents
}

/** What a person should hear of. */
export interface SpoolEvents {
  leftAlone(name: string, why: string): void
  /** The directory, or one file in it, cannot be worked with now. It is tried again. */
  troubled(where: string, error: Error): void
  recovered(what: string): void
  /** A sync to disk failed: what stands there is not known any more, and the agent must stop. */
  broke(error: Error): void
}

/** A request on its way from its claim to its answer. */
interface Job {
  readonly name: string
  readonly id: string
  /** The claim's file name. */
  readonly claim: string
  readonly claimedBefore: Call['claimedBefore']
}

/** A claimed file that is still being written, and when it last changed. */
interface Unfinished {
  readonly job: Job
  stamp: string
  sinceMs: number
}

const quietMs = 2_000
const quietEmptyMs = 10_000
const retryMs = 1_000
const troubledFileMs = 30_000

/**
 * Interface C: takes requests from the outbox and puts their answers into the inbox.
 *
 * @see interface section 4.10
 */
export class SpoolWorker {
  readonly #options: SpoolWorkerOptions
  readonly #places = pLimit(limits.spoolInFlightMax)
  readonly #line = new Line()
  readonly #scan: OutboxScan
  /** Ids with a claim; a new file of such an id waits here for its answer. */
  readonly #active = new Map<string, (() => void)[]>()
  readonly #unfinished = new Map<string, Unfinished>()
  readonly #running = new Set<Promise<void>>()
  readonly #troubled = new Map<string, number>()
  readonly #left: LeftClaim[] = []
  #isCaseInsensitive = false
  #isStopping = false
  #isLooking = false
  #isWoken = false
  #ticking: Promise<void> = Promise.resolve()
  #cancelTick: () => void = () => undefined

  constructor(options: SpoolWorkerOptions) {
    this.#options = options
    const { dirs, clock, events } = options
    this.#scan = new OutboxScan({ outbox: dirs.outbox, clock, leftAlone: (name, why) => events.leftAlone(name, why) })
  }

  /** How many requests are known to wait, claimed ones apart. */
  get backlog(): number {
    return this.#scan.length
  }

  /** Settles what a former agent left, then works until it is stopped. */
  async start(): Promise<void> {
    const { dirs, events } = this.#options
    this.#isCaseInsensitive = isCaseInsensitive(dirs)
    this.#left.push(...(await settleLeftovers(this.#options)))
    for (const { claim, id } of this.#left) {
      events.recovered(claim)
      this.#options.unanswered.add(id)
    }
    await this.#tick()
  }

  /** Looks now instead of at the next tick. */
  wake(): void {
    if (this.#isLooking) this.#isWoken = true
    else if (!this.#isStopping) {
      this.#cancelTick()
      void this.#tick()
    }
  }

  /** Claims nothing more, and resolves when what is under way is answered. Unfinished files get their name back. */
  async stop(): Promise<void> {
    this.#isStopping = true
    this.#cancelTick()
    // A file that is being read may be finished by now, and then it is not given back but answered.
    await this.#ticking
    // One that is read for the first time may turn out to be unfinished.
    while (this.#running.size > 0 || this.#unfinished.size > 0) {
      for (const { job } of this.#unfinished.values()) await this.#giveBack(job)
      this.#unfinished.clear()
      await Promise.all(this.#running)
    }
  }

  #tick(): Promise<void> {
    this.#ticking = this.#look()
    return this.#ticking
  }

  async #look(): Promise<void> {
    this.#isLooking = true
    this.#isWoken = false
    try {
      await this.#scan.look()
      await this.#reread()
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') this.#makeDirsAgain()
      else this.#options.events.troubled(this.#options.dirs.outbox, error as Error)
    }
    this.#isLooking = false
    if (this.#isStopping) return
    this.#fillPlaces()
    if (this.#isWoken) void this.#tick()
    else this.#cancelTick = this.#options.clock.after(limits.spoolScanIntervalMs, () => void this.#tick())
  }

  #makeDirsAgain(): void {
    try {
      makeSpoolDirs(this.#options.dirs)
    } catch (error) {
      this.#options.events.troubled(this.#options.dirs.root, error as Error)
    }
  }

  /** Gives every free place to the oldest request, as soon as it is free. */
  #fillPlaces(): void {
    while (!this.#isStopping && this.#places.activeCount + this.#places.pendingCount < limits.spoolInFlightMax) {
      const work = this.#nextWork()
      if (!work) return
      this.#run(work)
    }
  }

  /** Works in one of the places, and gives it on. */
  #run(work: () => Promise<void>): void {
    const running: Promise<void> = this.#places(work).then(() => {
      this.#running.delete(running)
      this.#fillPlaces()
    })
    this.#running.add(running)
  }

  #nextWork(): (() => Promise<void>) | undefined {
    const left = this.#left.shift()
    if (left) {
      const claimedBefore = left.owner === this.#options.owner ? 'here' : 'elsewhere'
      return () => this.#work({ ...left, claimedBefore }, this.#line.join())
    }
    const nowMs = this.#options.clock.monotonicMs()
    for (let request = this.#scan.take(); request; request = this.#scan.take()) {
      const { name, id } = request
      if ((this.#troubled.get(name) ?? 0) > nowMs) continue
      const waiting = this.#active.get(this.#key(id))
      const work = () => this.#claimAndWork(name, id)
      if (!waiting) return work
      waiting.push(() => this.#run(work))
    }
    return undefined
  }

  async #claimAndWork(name: string, id: string): Promise<void> {
    const { dirs, fs, owner } = this.#options
    const key = this.#key(id)
    const waiting = this.#active.get(key)
    if (waiting) return void waiting.push(() => this.#run(() => this.#claimAndWork(name, id)))
    if (this.#isStopping) return
    this.#active.set(key, [])
    const place = this.#line.join()
    const claim = `${name}.claim-${owner}`
    try {
      await this.#options.forgetEnded(id)
      await fs.rename(join(dirs.outbox, name), join(dirs.outbox, claim), place.pass)
    } catch (error) {
      place.pass()
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') this.#trouble(name, error as Error)
      return this.#leave(key)
    }
    this.#troubled.delete(name)
    await this.#work({ name, id, claim, claimedBefore: undefined }, place)
  }

  /** From the claim to the answer. Whatever fails on the way is tried again: a claim is a promise. */
  async #work(job: Job, place: LinePlace): Promise<void> {
    const key = this.#key(job.id)
    if (!this.#active.has(key)) this.#active.set(key, [])
    this.#options.unanswered.add(job.id)
    await this.#untilDone(job.name, () => this.#setAsideUnread(job.name), place.pass)
    await this.#read(job, place)
  }

  async #read(job: Job, place: LinePlace): Promise<void> {
    const path = join(this.#options.dirs.outbox, job.claim)
    const reading = await this.#untilDone(job.name, () => readRequestFile(path, job.id), place.pass)
    if (reading?.kind === 'call') await place.before
    const proceeding = this.#proceed(job, reading ?? { kind: 'gone' })
    place.pass()
    await proceeding
  }

  async #proceed(job: Job, reading: RequestReading): Promise<void> {
    switch (reading.kind) {
      case 'call': {
        const answer = await this.#options.answerCall({ ...reading.call, claimedBefore: job.claimedBefore })
        return this.#answer(job, answer, 'remove')
      }
      case 'refused':
        return this.#answer(job, refusal(400, reading.message), 'keep-as-rejected')
      case 'unfinished': {
        const nowMs = this.#options.clock.monotonicMs()
        const before = this.#unfinished.get(job.name)
        const sinceMs = before?.stamp === reading.stamp ? before.sinceMs : nowMs
        this.#unfinished.set(job.name, { job, stamp: reading.stamp, sinceMs })
        if (nowMs - sinceMs < (reading.isEmpty ? quietEmptyMs : quietMs)) return
        this.#unfinished.delete(job.name)
        return this.#answer(job, refusal(400, reading.message), 'keep-as-rejected')
      }
      case 'gone':
        // Somebody took the claimed file away, or the agent is stopping: there is nothing to answer now.
        if (!this.#isStopping) this.#options.unanswered.delete(job.id)
        return this.#leave(this.#key(job.id))
    }
  }

  /** Files that were still being written are read again. They hold none of the places. */
  async #reread(): Promise<void> {
    for (const { job } of [...this.#unfinished.values()]) {
      if (this.#isStopping) return
      const reading = await readRequestFile(join(this.#options.dirs.outbox, job.claim), job.id).catch((error: Error) =>
        this.#options.events.troubled(job.name, error),
      )
      if (!reading) continue
      if (reading.kind === 'unfinished') {
        await this.#proceed(job, reading)
      } else {
        this.#unfinished.delete(job.name)
        this.#run(() => this.#proceed(job, reading))
      }
    }
  }

  async #answer(job: Job, answer: CallAnswer, claimEnd: ClaimEnd): Promise<void> {
    const text = answerFileText(job.id, answer)
    const isPublished = await this.#untilDone(job.name, async () => {
      await publish(job.name, job.claim, text, claimEnd, this.#options)
      return true
    })
    // What could not be published is, by the next start.
    if (!isPublished) return
    this.#options.unanswered.delete(job.id)
    this.#leave(this.#key(job.id))
  }

  /** The answer of yesterday's request of the same name is not today's: it is kept under another name. */
  async #setAsideUnread(name: string): Promise<void> {
    const answer = join(this.#options.dirs.inbox, name)
    for (let n = 1; ; n++) {
      const aside = `${answer}.unread${n === 1 ? '' : `.${n}`}`
      try {
        // A link refuses a name that is taken, where a rename would write over another unread answer.
        await link(answer, aside)
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException
        if (code === 'ENOENT') return
        if (code === 'EEXIST') continue
        // A file system without links: the newest unread answer is kept.
        await rename(answer, aside)
        return
      }
      // Its reader may have been quicker.
      await unlessGone(this.#options.fs.unlink(answer))
      return
    }
  }

  /**
   * @param held Told when a try failed.
   * @returns undefined when the agent was stopped before it succeeded.
   */
  async #untilDone<Result>(where: string, act: () => Promise<Result>, held?: () => void): Promise<Result | undefined> {
    for (;;) {
      try {
        return await act()
      } catch (error) {
        if (error instanceof SyncFailedError) {
          this.#isStopping = true
          this.#options.events.broke(error)
          return undefined
        }
        this.#options.events.troubled(where, error as Error)
        held?.()
        if (this.#isStopping) return undefined
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') this.#makeDirsAgain()
        await this.#options.clock.sleep(retryMs)
      }
    }
  }

  #leave(key: string): void {
    const waiting = this.#active.get(key) ?? []
    this.#active.delete(key)
    for (const enter of waiting) enter()
  }

  #trouble(name: string, error: Error): void {
    this.#troubled.set(name, this.#options.clock.monotonicMs() + troubledFileMs)
    this.#options.events.troubled(name, error)
  }

  /** A file that its writer never finished goes back to its name, unless that is taken by now. */
  async #giveBack({ name, claim }: Job): Promise<void> {
    const { dirs, fs } = this.#options
    try {
      await link(join(dirs.outbox, claim), join(dirs.outbox, name))
      await fs.unlink(join(dirs.outbox, claim))
    } catch (error) {
      this.#options.events.troubled(claim, error as Error)
    }
  }

  #key(id: string): string {
    return this.#isCaseInsensitive ? id.toLowerCase() : id
  }
}
