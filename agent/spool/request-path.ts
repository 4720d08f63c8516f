import { join } from 'node:path'
import { type CallAnswer, refusal } from '../call/answer.ts'
import type { Call } from '../call/call.ts'
import type { Turn } from '../call/turn.ts'
import type { Clock } from '../clock/clock.ts'
import { keepTrying } from '../durable-files/retries.ts'
import { answerFileText } from './answer-file.ts'
import { type Claiming, claimFile, setAsideUnread } from './claim.ts'
import { type Publishing, publish } from './publish.ts'
import { type RequestReading, readRequestFile } from './request-file.ts'
import type { ActiveRequest, Claim, Orphaned, Waiting } from './requests.ts'

/** What the path of a request works with. */
export interface RequestPathOptions extends Claiming, Publishing {
  readonly clock: Clock
  /** Takes the call's position among the calls of its item or transaction, those over HTTP included. */
  readonly takeTurn: (call: Call) => Turn
  /** Answers a call, and releases its turn. */
  readonly answerCall: (call: Call, turn: Turn) => Promise<CallAnswer>
  readonly onError: (where: string, error: Error) => void
  readonly onRejected: (name: string, reason: string) => void
  readonly onFatal: (error: Error) => void
}

/** The worker, as the path of a request sees it. After each change another request may go on. */
export interface Progress {
  readonly stopping: AbortSignal
  set(request: ActiveRequest): void
  /** The request's file is gone, or its answer is there. */
  remove(request: { readonly id: string }): void
  /** The request cannot be claimed now. */
  defer(request: Waiting): void
  /** Resolves after the next scan of the outbox. */
  nextScan(): Promise<void>
}

/** A file waits for its turn for a day at most. The deadline of its call begins when the turn has come. */
const queuedMsMax = 24 * 3_600_000
const quietMs = 2_000
const quietEmptyMs = 10_000

/**
 * The path of one request, from its name in the outbox to its answer in the inbox. Everything that can end it is on this
 * page. When the agent stops before the end, the request stays in the table.
 */
export async function answerRequest(
  request: Waiting | Orphaned,
  progress: Progress,
  options: RequestPathOptions,
): Promise<void> {
  const claim = request.at === 'waiting' ? await claimOrDefer(request, progress, options) : request
  if (!claim) return
  const reading = await readWhole(claim, progress, options)
  if (reading.kind === 'gone') progress.remove(claim)
  if (reading.kind === 'refused') {
    await publishAnswer(claim, refusal(400, reading.message), progress, options, reading.reason)
  }
  if (reading.kind === 'call') {
    const answer = await callInTurn(claim, reading.call, progress, options)
    if (answer) await publishAnswer(claim, answer, progress, options)
  }
}

/** @returns undefined when the file is gone, or cannot be claimed now. */
async function claimOrDefer(
  request: Waiting,
  progress: Progress,
  options: RequestPathOptions,
): Promise<Claim | undefined> {
  try {
    const claim = await claimFile(request, options, () => letOthersPass(request, progress))
    if (!claim) progress.remove(request)
    return claim
  } catch (error) {
    options.onError(request.name, error as Error)
    progress.defer(request)
    return undefined
  }
}

/** A file operation fails and is retried, so the request gives up its position for the others. */
function letOthersPass({ name, id }: Waiting | Claim, progress: Progress): void {
  progress.set({ at: 'claiming', name, id, isRetried: true })
}

/** Reads a claimed file. While its writer has not finished, it uses no slot and is read again after each scan. */
async function readWhole(
  claim: Claim,
  progress: Progress,
  { clock, dirs, fs, onError, onFatal }: RequestPathOptions,
): Promise<Exclude<RequestReading, { kind: 'half-written' }> | { kind: 'abandoned' }> {
  const { name, id } = claim
  let before: { stamp: string; sinceMs: number } | undefined
  const read = async () => {
    if (!before) await setAsideUnread(name, dirs, fs)
    return readRequestFile(join(dirs.outbox, claim.claim), id)
  }
  for (;;) {
    const reading = await keepTrying(read, {
      clock,
      stopping: progress.stopping,
      onError: (error) => onError(name, error),
      onRepeatedFailure: () => before ?? letOthersPass(claim, progress),
      onFatal,
    })
    if (!reading) return abandon(claim, progress)
    if (reading.kind !== 'half-written') return reading
    const nowMs = clock.monotonicMs()
    const sinceMs = before?.stamp === reading.stamp ? before.sinceMs : nowMs
    if (nowMs - sinceMs >= (reading.isEmpty ? quietEmptyMs : quietMs)) return { ...reading, kind: 'refused' }
    before = { stamp: reading.stamp, sinceMs }
    progress.set({ ...claim, at: 'half-written' })
    await progress.nextScan()
  }
}

/**
 * Joins the queue of the call's item or transaction at once, and calls when its turn has come and a slot is free.
 *
 * @returns undefined when the agent stops before the turn has come.
 */
async function callInTurn(
  claim: Claim,
  call: Call,
  progress: Progress,
  { clock, takeTurn, answerCall }: RequestPathOptions,
): Promise<CallAnswer | undefined> {
  const turn = takeTurn(call)
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
  if (turn.mustWait) {
    progress.set({ ...claim, at: 'queued', hasTurn: false, begin })
    await turn.wait(clock.monotonicMs() + queuedMsMax)
    if (progress.stopping.aborted) {
      turn.release()
      return undefined
    }
  }
  progress.set({ ...claim, at: 'queued', hasTurn: true, begin })
  await begun
  return answerCall({ ...call, claimedBefore: claim.claimedBefore }, turn)
}

/**
 * Publishes an answer, without a slot. A new request with this id waits until a power cut cannot take the answer back.
 *
 * @param whyRejected Set when the file was refused and is kept.
 */
async function publishAnswer(
  claim: Claim,
  answer: CallAnswer,
  progress: Progress,
  options: RequestPathOptions,
  whyRejected?: string,
): Promise<void> {
  const { name, id } = claim
  const { clock, onError, onFatal, onRejected } = options
  const text = answerFileText(id, answer)
  const claimEnd = whyRejected === undefined ? 'remove' : 'keep-as-rejected'
  const setPublishing = (isObstructed: boolean) => progress.set({ ...claim, at: 'publishing', isObstructed })
  setPublishing(false)
  const published = await keepTrying(() => publish(name, claim.claim, text, claimEnd, options), {
    clock,
    stopping: progress.stopping,
    onError(error) {
      onError(name, error)
      setPublishing((error as NodeJS.ErrnoException).code === 'EISDIR')
    },
    onFatal,
  })
  if (published && whyRejected !== undefined) onRejected(name, whyRejected)
  try {
    await published?.durable
  } catch (error) {
    onFatal(error as Error)
    abandon(claim, progress)
    return
  }
  if (published) progress.remove(claim)
  else abandon(claim, progress)
}

function abandon({ name, id }: Claim, progress: Progress): { kind: 'abandoned' } {
  progress.set({ at: 'abandoned', name, id })
  return { kind: 'abandoned' }
}
