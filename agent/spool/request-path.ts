import { join } from 'node:path'
import { type CallAnswer, refusal } from '../call/answer.ts'
import type { Call } from '../call/call.ts'
import type { Clock } from '../clock.ts'
import { answerFileText } from './answer-file.ts'
import { keepTrying } from './keep-trying.ts'
import type { LeftClaim } from './leftovers.ts'
import { Line } from './line.ts'
import type { WaitingRequest } from './outbox-scan.ts'
import { type ClaimEnd, type Published, type Publishing, publish } from './publish.ts'
import { type RequestReading, readRequestFile } from './request-file.ts'
import { giveBack, UnfinishedFiles } from './unfinished-files.ts'
import { setAsideUnread } from './unread-answer.ts'

export interface RequestPathOptions extends Publishing {
  readonly clock: Clock
  /** The journal's name, which every claim carries. */
  readonly owner: string
  readonly answerCall: (call: Call) => Promise<CallAnswer>
  /** Forgets an id whose window has passed, before its name is claimed anew. */
  readonly forgetEnded: (id: string) => Promise<void>
  /** Requests that are claimed and not answered, by id. Kept here; the journal reads it. */
  readonly unanswered: Set<string>
  /** From when on nothing more is claimed, and nothing that fails is tried again. */
  readonly stopping: AbortSignal
  /** Told when a request is over, and its id may be used again. */
  readonly left: (id: string) => void
  /** Told when a request cannot be claimed now. */
  readonly notClaimed: (name: string) => void
  /** Told when something else fails, which is tried again. */
  readonly troubled: (where: string, error: Error) => void
  /** Told when a sync to disk failed. */
  readonly broke: (error: Error) => void
}

/** A request that is claimed. */
interface Job {
  readonly name: string
  readonly id: string
  /** The claim's file name. */
  readonly claim: string
  readonly claimedBefore: Call['claimedBefore']
}

/** The path of one request, from its name in the outbox to its answer in the inbox, read from top to bottom. */
export class RequestPath {
  readonly #options: RequestPathOptions
  readonly #line = new Line()
  readonly #unfinished: UnfinishedFiles<Job>
  readonly #settling = new Set<Promise<void>>()

  constructor(options: RequestPathOptions) {
    this.#options = options
    this.#unfinished = new UnfinishedFiles(options.clock)
  }

  /**
   * Resolves when the request needs its place no more: it is answered, or still being written, or gone. The calls of
   * several begin in the order in which they came here, for an older observation must not be overtaken.
   */
  async work(request: WaitingRequest | LeftClaim): Promise<void> {
    const place = this.#line.join()
    await place.before
    const job = 'claim' in request ? this.#takeOver(request) : await this.#claim(request, place.pass)
    if (!job) {
      place.pass()
      return this.#options.left(request.id)
    }
    const reading = await this.#read(job, place.pass)
    const proceeding = this.#proceed(job, reading)
    place.pass()
    await proceeding
  }

  #takeOver({ name, id, claim, owner }: LeftClaim): Job {
    return { name, id, claim, claimedBefore: owner === this.#options.owner ? 'here' : 'elsewhere' }
  }

  async #claim({ name, id }: WaitingRequest, held: () => void): Promise<Job | undefined> {
    const { dirs, fs, owner, stopping, forgetEnded, unanswered } = this.#options
    if (stopping.aborted) return undefined
    const claim = `${name}.claim-${owner}`
    try {
      await forgetEnded(id)
      await fs.rename(join(dirs.outbox, name), join(dirs.outbox, claim), held)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') {
        this.#options.notClaimed(name)
        this.#options.troubled(name, error as Error)
      }
      return undefined
    }
    unanswered.add(id)
    return { name, id, claim, claimedBefore: undefined }
  }

  async #read(job: Job, held: () => void): Promise<RequestReading> {
    const { dirs, fs } = this.#options
    const read = async (): Promise<RequestReading> => {
      await setAsideUnread(job.name, dirs, fs)
      return readRequestFile(join(dirs.outbox, job.claim), job.id)
    }
    return (await this.#untilDone(job, read, held)) ?? { kind: 'gone' }
  }

  async #proceed(job: Job, reading: RequestReading): Promise<void> {
    switch (reading.kind) {
      case 'call': {
        const answer = await this.#options.answerCall({ ...reading.call, claimedBefore: job.claimedBefore })
        return this.#answer(job, answer, 'remove')
      }
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

  async #answer(job: Job, answer: CallAnswer, claimEnd: ClaimEnd): Promise<void> {
    const text = answerFileText(job.id, answer)
    const published = await this.#untilDone(job, () => publish(job.name, job.claim, text, claimEnd, this.#options))
    // What could not be published is, by the next start.
    if (!published) return
    const settling = this.#settle(job, published).then(() => void this.#settling.delete(settling))
    this.#settling.add(settling)
  }

  /** The answer is there. A new request of the same id waits until it cannot be taken back. */
  async #settle({ id }: Job, { durable }: Published): Promise<void> {
    try {
      await durable
    } catch (error) {
      return this.#options.broke(error as Error)
    }
    this.#options.unanswered.delete(id)
    this.#options.left(id)
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

  #readAgain(job: Job): RequestReading | undefined {
    try {
      const reading = readRequestFile(join(this.#options.dirs.outbox, job.claim), job.id)
      if (reading.kind !== 'unfinished') return reading
      return this.#unfinished.note(job, reading) === 'quiet' ? { ...reading, kind: 'refused' } : undefined
    } catch (error) {
      this.#options.troubled(job.name, error as Error)
      return undefined
    }
  }

  /** Gives unfinished files their names back, and resolves when every answer that is there stays there. */
  async leaveOff(): Promise<void> {
    for (const job of this.#unfinished.jobs) {
      this.#unfinished.remove(job)
      try {
        await giveBack(job, this.#options.dirs, this.#options.fs)
      } catch (error) {
        this.#options.troubled(job.claim, error as Error)
      }
    }
    await Promise.all(this.#settling)
  }

  #untilDone<Result>(
    { name }: Job,
    act: () => Promise<Result>,
    held: () => void = () => undefined,
  ): Promise<Result | undefined> {
    const { clock, stopping, broke, troubled } = this.#options
    return keepTrying(act, { clock, stopping, held, broke, troubled: (error) => troubled(name, error) })
  }
}
