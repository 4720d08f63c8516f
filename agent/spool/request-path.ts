import { join } from 'node:path'
import { type CallAnswer, refusal } from '../call/answer.ts'
import type { Call } from '../call/call.ts'
import type { Turn } from '../call/turn.ts'
import type { Clock } from '../clock/clock.ts'
import { keepTrying } from '../durable-files/retries.ts'
import { answerFileText } from './answer-file.ts'
import { type Claiming, claimFile, setAsideUnread } from './claim.ts'
import { type ClaimEnd, type Publishing, publish } from './publish.ts'
import { type Refused, type RequestReading, readRequestFile } from './request-file.ts'
import type { ActiveRequest, Claim, Orphaned, Waiting } from './requests.ts'

/** What the path of a request works with. */
export interface RequestPathOptions extends Claiming, Publishing {
  readonly clock: Clock
  /** Takes the call's position among the calls of its item or transaction, over HTTP too. */
  readonly takeTurn: (call: Call) => Turn
  /** Answers a call, and releases its turn. */
  readonly answerCall: (call: Call, turn: Turn) => Promise<CallAnswer>
  readonly stopping: AbortSignal
  readonly onError: (where: string, error: Error) => void
  readonly onRejected: (name: string, reason: string) => void
  readonly onFatal: (error: Error) => void
}

/** The table, as the path of a request changes it. After each change another request may go on. */
export interface Progress {
  set(request: ActiveRequest): void
  /** Its file is gone, or its answer is there. */
  remove(request: Claim | Waiting): void
  /** It cannot be claimed now. */
  defer(request: Waiting): void
  /** Resolves after the next scan of the outbox. */
  nextScan(): Promise<void>
}

/** A queued file waits for a day at most. The deadline of its call begins when its turn has come. */
const queuedMsMax = 24 * 3_600_000
const quietMs = 2_000
const quietEmptyMs = 10_000

/**
 * The path of one request, from its name in the outbox to its answer in the inbox. Everything that can end it is on this
 * page. A request that has not reached the end when the agent stops stays in the table.
 */
export async function answerRequest(
  request: Waiting | Orphaned,
  progress: Progress,
  options: RequestPathOptions,
): Promise<void> {
  const claim = request.at === 'waiting' ? await claimOrDefer(request, progress, options) : request
  if (!claim) return
  const reading = await readWhole(claim, progress, options)
  if (!reading) return
  if (reading.kind === 'gone') return progress.remove(claim)
  const answer =
    reading.kind === 'refused'
      ? refusal(400, reading.message)
      : await callInTurn(claim, reading.call, progress, options)
  if (!answer) return
  await publishOrAbandon(claim, answer, reading, progress, options)
}

async function claimOrDefer(
  request: Waiting,
  progress: Progress,
  options: RequestPathOptions,
): Promise<Claim | undefined> {
  const { name, id } = request
  try {
    const claim = await claimFile(request, options, () => progress.set({ at: 'claiming', name, id, isRetried: true }))
    if (!claim) progress.remove(request)
    return claim
  } catch (error) {
    options.onError(name, error as Error)
    progress.defer(request)
    return undefined
  }
}

/**
 * Reads a claimed file. While its writer is still writing it uses no slot and is read again after each scan.
 *
 * @returns undefined when the agent stops first.
 */
async function readWhole(
  claim: Claim,
  progress: Progress,
  options: RequestPathOptions,
): Promise<Exclude<RequestReading, { kind: 'half-written' }> | undefined> {
  const { name, id } = claim
  const { clock, dirs, fs, onError } = options
  let before: { stamp: string; sinceMs: number } | undefined
  const read = async () => {
    if (!before) await setAsideUnread(name, dirs, fs)
    return readRequestFile(join(dirs.outbox, claim.claim), id)
  }
  for (;;) {
    const reading = await keepTrying(read, {
      ...options,
      onError: (error) => onError(name, error),
      onRepeatedFailure: () => before ?? progress.set({ at: 'claiming', name, id, isRetried: true }),
    })
    if (!reading) {
      progress.set({ at: 'abandoned', name, id })
      return undefined
    }
    if (reading.kind !== 'half-written') return reading
    const nowMs = clock.monotonicMs()
    const sinceMs = before?.stamp === reading.stamp ? before.sinceMs : nowMs
    if (nowMs - sinceMs >= (reading.isEmpty ? quietEmptyMs : quietMs)) return { ...reading, kind: 'refused' }
    before = { stamp: reading.stamp, sinceMs }
    progress.set({ ...claim, at: 'half-written', ...before })
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
  { clock, stopping, takeTurn, answerCall }: RequestPathOptions,
): Promise<CallAnswer | undefined> {
  const turn = takeTurn(call)
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
  if (turn.mustWait) {
    progress.set({ ...claim, at: 'queued', hasTurn: false, begin })
    await turn.wait(clock.monotonicMs() + queuedMsMax)
    if (stopping.aborted) {
      turn.release()
      return undefined
    }
  }
  progress.set({ ...claim, at: 'queued', hasTurn: true, begin })
  await begun
  return answerCall({ ...call, claimedBefore: claim.claimedBefore }, turn)
}

/** Publishes an answer, without a slot. A new request with this id waits until nothing can take the answer back. */
async function publishOrAbandon(
  claim: Claim,
  answer: CallAnswer,
  reading: Refused | { kind: 'call' },
  progress: Progress,
  options: RequestPathOptions,
): Promise<void> {
  const { name, id } = claim
  const { onError, onFatal, onRejected } = options
  const text = answerFileText(id, answer)
  const claimEnd: ClaimEnd = reading.kind === 'refused' ? 'keep-as-rejected' : 'remove'
  progress.set({ ...claim, at: 'publishing', isObstructed: false })
  const published = await keepTrying(() => publish(name, claim.claim, text, claimEnd, options), {
    ...options,
    onError(error) {
      onError(name, error)
      progress.set({ ...claim, at: 'publishing', isObstructed: (error as NodeJS.ErrnoException).code === 'EISDIR' })
    },
  })
  if (!published) return progress.set({ at: 'abandoned', name, id })
  if (reading.kind === 'refused') onRejected(name, reading.reason)
  try {
    await published.durable
    progress.remove(claim)
  } catch (error) {
    onFatal(error as Error)
    progress.set({ at: 'abandoned', name, id })
  }
}
