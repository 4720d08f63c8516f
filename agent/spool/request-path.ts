import { join } from 'node:path'
import type { CallAnswer } from '../call/answer.ts'
import { type Call, isOnce } from '../call/call.ts'
import type { Turn } from '../call/turn.ts'
import type { Clock } from '../clock/clock.ts'
import { awaitSync } from '../durable-files/disk-errors.ts'
import { keepTrying } from '../durable-files/retries.ts'
import { answerFileText } from './answer-file.ts'
import { type Claiming, claimFile, type DurableSpool, setAsideUnread } from './claim.ts'
import { publish } from './publish.ts'
import { type RequestReading, readRequestFile } from './request-file.ts'
import type { ActiveRequest, Claim, Orphaned, Waiting } from './requests.ts'

/** What the path of a request works with. */
export interface RequestPathOptions extends Claiming, DurableSpool {
  readonly clock: Clock
  /** Takes the call's position among the calls of its item or transaction, those over HTTP included. */
  readonly takeTurn: (call: Call) => Turn
  /** Answers a call, and releases its turn. */
  readonly answerCall: (call: Call, turn: Turn) => Promise<CallAnswer>
  readonly onError: (where: string, error: Error) => void
  readonly onRejected: (name: string, reason: string) => void
  readonly onFatal: (error: Error) => void
}

/** The path's surroundings. After each change of a state another request may continue. */
export interface PathSpool extends RequestPathOptions {
  readonly stopping: AbortSignal
  readonly set: (request: ActiveRequest) => void
  /** The request's file is gone, or its answer is there. */
  readonly remove: (request: { readonly id: string }) => void
  /** The request cannot be claimed now. */
  readonly defer: (request: Waiting) => void
  /** Resolves after the next scan of the outbox. */
  readonly nextScan: () => Promise<void>
}

/** A file waits for its turn for a day at most. The deadline of its call begins when the turn has come. */
const queuedMsMax = 24 * 3_600_000
const quietMs = 2_000
const quietEmptyMs = 10_000

/**
 * The path of one request, from its name in the outbox to its answer in the inbox. Everything that can end it is on this
 * page. When the agent stops before the end, the request stays in the table.
 */
export async function answerRequest(request: Waiting | Orphaned, spool: PathSpool): Promise<void> {
  const claim = request.at === 'waiting' ? await claimOrDefer(request, spool) : request
  if (!claim) return
  const reading = await readWhole(claim, spool)
  switch (reading?.kind) {
    case 'gone':
      return spool.remove(claim)
    case 'refused':
      return publishAnswer(claim, reading.answer, spool, reading.reason)
    case 'call': {
      const answer = await callInTurn(claim, reading.call, spool)
      return answer && publishAnswer(claim, answer, spool)
    }
  }
}

/** @returns undefined when the file is gone, or cannot be claimed now. */
async function claimOrDefer(request: Waiting, spool: PathSpool): Promise<Claim | undefined> {
  try {
    const claim = await claimFile(request, spool, () => letOthersPass(request, spool))
    if (!claim) spool.remove(request)
    return claim
  } catch (error) {
    spool.onError(request.name, error as Error)
    spool.defer(request)
    return undefined
  }
}

/** A file operation keeps failing, so the request gives up its position for the others. */
function letOthersPass({ name, id }: Waiting | Claim, spool: PathSpool): void {
  spool.set({ at: 'claiming', name, id, isRetried: true })
}

/**
 * Reads a claimed file. While its writer has not finished, it uses no slot and is read again after each scan.
 *
 * @returns undefined when the agent stops first.
 */
async function readWhole(
  claim: Claim,
  spool: PathSpool,
): Promise<Exclude<RequestReading, { kind: 'half-written' }> | undefined> {
  const { name, id } = claim
  let before: { stamp: string; sinceMs: number } | undefined
  const read = async () => {
    if (!before) await setAsideUnread(name, spool)
    return readRequestFile(spool.files, join(spool.dirs.outbox, claim.claim), id)
  }
  for (;;) {
    const reading = await keepTrying(read, {
      ...spool,
      onError: (error) => spool.onError(name, error),
      onRepeatedFailure: () => before ?? letOthersPass(claim, spool),
    })
    if (!reading) spool.set({ at: 'abandoned', name, id })
    if (reading?.kind !== 'half-written') return reading
    const nowMs = spool.clock.monotonicMs()
    const sinceMs = before?.stamp === reading.stamp ? before.sinceMs : nowMs
    if (nowMs - sinceMs >= (reading.isEmpty ? quietEmptyMs : quietMs)) return { ...reading, kind: 'refused' }
    before = { stamp: reading.stamp, sinceMs }
    spool.set({ ...claim, at: 'half-written' })
    await spool.nextScan()
  }
}

/**
 * Joins the queue of the call's item or transaction at once, and calls when this agent's earlier calls are over and a slot
 * is free. The call itself waits for other agents. It has a deadline, and an answer for a store that is away.
 *
 * @returns undefined when the agent stops before the turn has come.
 */
async function callInTurn(claim: Claim, read: Call, spool: PathSpool): Promise<CallAnswer | undefined> {
  const call = { ...read, claimedBefore: claim.claimedBefore }
  const turn = spool.takeTurn(call)
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
  if (await turn.mustWait()) {
    spool.set({ ...claim, at: 'queued', hasTurn: false, begin })
    await turn.waitInAgent(spool.clock.monotonicMs() + queuedMsMax)
    if (spool.stopping.aborted) {
      turn.release()
      return undefined
    }
  }
  spool.set({ ...claim, at: 'queued', hasTurn: true, begin })
  await begun
  // Without its claim, a file that a power cut brings back is a new request, once the window of its id has ended.
  if (isOnce(call)) await awaitSync(spool.syncs.sync(spool.dirs.outbox))
  return spool.answerCall(call, turn)
}

/**
 * Publishes an answer, without a slot. A new request with this id waits until a power cut cannot take the answer back.
 *
 * @param whyRejected Set when the file was refused and is kept.
 */
async function publishAnswer(claim: Claim, answer: CallAnswer, spool: PathSpool, whyRejected?: string): Promise<void> {
  const { name, id } = claim
  const text = answerFileText(id, answer)
  // A start makes the call of a claim that a power cut brings back. A caller who has read a refusal does not expect that.
  const endOfCall = answer.ok ? 'remove' : 'remove-for-good'
  const claimEnd = whyRejected === undefined ? endOfCall : 'keep-as-rejected'
  const setPublishing = (isObstructed: boolean) => spool.set({ ...claim, at: 'publishing', isObstructed })
  setPublishing(false)
  const published = await keepTrying(() => publish(name, claim.claim, text, claimEnd, spool), {
    ...spool,
    onError(error) {
      spool.onError(name, error)
      setPublishing((error as NodeJS.ErrnoException).code === 'EISDIR')
    },
  })
  if (!published) return spool.set({ at: 'abandoned', name, id })
  if (whyRejected !== undefined) spool.onRejected(name, whyRejected)
  try {
    await published.durable
    spool.remove(claim)
  } catch (error) {
    spool.onFatal(error as Error)
    spool.set({ at: 'abandoned', name, id })
  }
}
