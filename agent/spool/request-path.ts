import { join } from 'node:path'
import { type CallAnswer, refusal } from '../call/answer.ts'
import type { Call } from '../call/call.ts'
import type { Turn } from '../call/turn.ts'
import type { Clock } from '../clock/clock.ts'
import { answerFileText } from './answer-file.ts'
import { CallsInLine } from './calls-in-line.ts'
import { type ClaimedRequest, type Claiming, claim, takeOver } from './claim.ts'
import { giveBack } from './give-back.ts'
import { keepTrying } from './keep-trying.ts'
import type { LeftClaim } from './leftovers.ts'
import { Line } from './line.ts'
import type { WaitingRequest } from './outbox-scan.ts'
import { type ClaimEnd, type Publishing, publish } from './publish.ts'
import { type RequestReading, readRequestFile } from './request-file.ts'
import { UnfinishedFiles } from './unfinished-files.ts'
import { setAsideUnread } from './unread-answer.ts'

/** What the path of a request works with. */
export interface RequestPathOptions extends Claiming, Publishing {
  readonly clock: Clock
  /** Takes the call's position among the calls of its item or transaction, those of interface A included. */
  readonly takeTurn: (call: Call) => Turn
  /** Answers a call, and releases its turn. */
  readonly answerCall: (call: Call, turn: Turn) => Promise<CallAnswer>
  /** Finds a place for what remains to be done of a request that had none. */
  readonly resume: (work: () => Promise<void>) => void
  /** Told when a request is over, and its id may be used again. */
  readonly left: (id: string) => void
  /** Told when a sync to disk failed. */
  readonly broke: (error: Error) => void
}

/** The deadline of the call begins when its turn has come. */
const turnAwaitedMs = 24 * 3_600_000

/** The path of one request, from its name in the outbox to its answer in the inbox, read from top to bottom. */
export class RequestPath {
  readonly #options: RequestPathOptions
  readonly #line = new Line()
  readonly #unfinished: UnfinishedFiles<ClaimedRequest>
  readonly #inLine: CallsInLine<ClaimedRequest>
  readonly #publishing = new Set<Promise<void>>()

  constructor(options: RequestPathOptions) {
    this.#options = options
    this.#unfinished = new UnfinishedFiles(options.clock)
    this.#inLine = new CallsInLine(options.stopping, options.resume)
  }

  /** How many requests are claimed and wait, without a place, for others of their item or transaction. */
  get inLine(): number {
    return this.#inLine.jobs.size
  }

  /** How many calls are over whose answers are on their way to the disk, without a place. */
  get publishing(): number {
    return this.#publishing.size
  }

  /**
   * Resolves when the request needs its place no more: its call is over, or waits for its turn, or it is still being
   * written, or gone. Several take their turns in the order in which they came here, for an older observation must not be
   * overtaken.
   */
  async work(request: WaitingRequest | LeftClaim): Promise<void> {
    const place = this.#line.join()
    await place.before
    const job = 'claim' in request ? takeOver(request, this.#options) : await claim(request, this.#options, place.pass)
    if (!job) {
      place.pass()
      return this.#options.left(request.id)
    }
    const reading = await this.#read(job, place.pass)
    const proceeding = this.#proceed(job, reading)
    place.pass()
    await proceeding
  }

  async #read(job: ClaimedRequest, held: () => void): Promise<RequestReading> {
    const { dirs, fs } = this.#options
    const read = async (): Promise<RequestReading> => {
      await setAsideUnread(job.name, dirs, fs)
      return readRequestFile(join(dirs.outbox, job.claim), job.id)
    }
    return (await this.#untilDone(job, read, held)) ?? { kind: 'gone' }
  }

  async #proceed(job: ClaimedRequest, reading: RequestReading): Promise<void> {
    switch (reading.kind) {
      case 'call':
        return this.#call(job, { ...reading.call, claimedBefore: job.claimedBefore })
      case 'refused':
        return this.#answer(job, refusal(400, reading.message), 'keep-as-rejected')
      case 'unfinished':
        this.#unfinished.note(job, reading)
        return
      case 'gone':
        // Somebody took the claimed file away, or the agent is stopping: there is nothing to answer now.
        if (!this.#options.stopping.aborted) this.#options.unanswered.delete(job.id)
        return this.#options.left(job.id)
    }
  }

  /** Joins its line at once. Where it has to wait there, it gives its place to somebody who has not. */
  #call(job: ClaimedRequest, call: Call): Promise<void> {
    const { takeTurn, answerCall, clock } = this.#options
    const turn = takeTurn(call)
    const work = async () => this.#answer(job, await answerCall(call, turn), 'remove')
    return this.#inLine.goOn(job, turn, clock.monotonicMs() + turnAwaitedMs, work)
  }

  /** The call is over. Its answer goes to the disk without a place, while the next call is on its way. */
  #answer(job: ClaimedRequest, answer: CallAnswer, claimEnd: ClaimEnd): void {
    const publishing = this.#publish(job, answer, claimEnd).then((isPublished) => {
      this.#publishing.delete(publishing)
      // What could not be published is, by the next start.
      if (isPublished) this.#options.left(job.id)
    })
    this.#publishing.add(publishing)
  }

  /** Resolves when the answer is there and cannot be taken back: a new request of the same id waits until then. */
  async #publish(job: ClaimedRequest, answer: CallAnswer, claimEnd: ClaimEnd): Promise<boolean> {
    const text = answerFileText(job.id, answer)
    const published = await this.#untilDone(job, () => publish(job.name, job.claim, text, claimEnd, this.#options))
    if (!published) return false
    try {
      await published.durable
    } catch (error) {
      this.#options.broke(error as Error)
      return false
    }
    this.#options.unanswered.delete(job.id)
    return true
  }

  /**
   * Reads files again that were still being written: they hold no place meanwhile.
   *
   * @returns What remains to be done for those that are finished by now, or given up.
   */
  reread(): (() => Promise<void>)[] {
    return this.#unfinished.jobs.flatMap((job) => {
      const reading = this.#readAgain(job)
      if (!reading) return []
      this.#unfinished.remove(job)
      return [() => this.#proceed(job, reading)]
    })
  }

  #readAgain(job: ClaimedRequest): RequestReading | undefined {
    try {
      const reading = readRequestFile(join(this.#options.dirs.outbox, job.claim), job.id)
      if (reading.kind !== 'unfinished') return reading
      return this.#unfinished.note(job, reading) === 'quiet' ? { ...reading, kind: 'refused' } : undefined
    } catch (error) {
      this.#options.troubled(job.name, error as Error)
      return undefined
    }
  }

  /**
   * Gives files that are unfinished, or wait for their turn, their names back, and resolves when every answer that is
   * there stays there. What a former agent had claimed stays claimed, for it may have been sent then.
   */
  async leaveOff(): Promise<void> {
    const left = [...this.#unfinished.jobs, ...this.#inLine.jobs]
    for (const job of left.filter(({ claimedBefore }) => claimedBefore === undefined)) {
      this.#unfinished.remove(job)
      try {
        await giveBack(job, this.#options.dirs, this.#options.fs)
      } catch (error) {
        this.#options.troubled(job.claim, error as Error)
      }
    }
    await Promise.all(this.#publishing)
  }

  #untilDone<Result>(
    { name }: ClaimedRequest,
    act: () => Promise<Result>,
    held: () => void = () => undefined,
  ): Promise<Result | undefined> {
    const { clock, stopping, broke, troubled } = this.#options
    return keepTrying(act, { clock, stopping, held, broke, troubled: (error) => troubled(name, error) })
  }
}
