import { operationNamed } from '../../../../contract/operations.ts'
import type { DiskFaults } from '../../disk/disk-faults.ts'
import { type HostClock, startOfRunMs } from '../../host-clock.ts'
import type { Network } from '../../network/network.ts'
import type { GameCall, Told } from '../game/call-agent.ts'
import type { GameWays } from '../game/game-parts.ts'
import { ofAttempts } from './attempt-outcome.ts'
import { idWindowMs } from './id-window.ts'
import type { Break } from './judge.ts'
import { platformTimeErrorMsMax } from './platform-time.ts'
import { isRepetition, withoutMark } from './repetition.ts'

/** Agents that share a store say with these that they do not know what became of the id. */
const ofTheMoment = ['STORE_UNREACHABLE', 'CALL_UNDER_WAY']
const idReused = 'ID_REUSED'
/** An agent says with this that it could not store an answer. */
const answerLost = 'ANSWER_LOST'

/** The first answer that an id has got. */
interface FirstAnswer {
  readonly call: string
  readonly text: string
  readonly code: string | undefined
  readonly toldMs: number
  /** It was stored at this moment or later. */
  readonly storedFromMs: number
  /** When the id was sent first. Its answer was stored later. */
  readonly askedMs: number
  /** How often a fault of the disk had begun or ended. */
  readonly diskChanges: number
}

/** How the id of a call was used. */
export interface UseOfId {
  /** No other call had the id meanwhile. A call that is wrong may have it while an equal call comes. */
  readonly isAlone: boolean
  /** It was used more than once. A start may forget one for which a second file still waits. */
  readonly isRepeated: boolean
}

export interface SameAnswerParts {
  readonly break: Break
  readonly nowMs: () => number
  readonly network: Pick<Network, 'wasDateWrong'>
  /** Of the agent's host. */
  readonly clock: Pick<HostClock, 'lastSetMs'>
  readonly callsBy: GameWays['callsBy']
  /** Whether the agent can know how old an id is: a wall clock that is set makes it wrong for the next process. */
  readonly isWindowKept: (sinceMs: number) => boolean
  /** The same, of calls that are not purchases. */
  readonly isAgeKnown: (sinceMs: number) => boolean
  /** Of the agent's own store. Undefined for one that may lose what does no harm when it runs twice. */
  readonly storeDisk: Pick<DiskFaults, 'changes' | 'isHealthy'> | undefined
  /** Whether a store that agents share may have an answer that its agent does not know to be stored. */
  readonly mayBeStoredUnseen: (id: string) => boolean
}

/** Within ten minutes every answer to one id is the same. Each after the first says that it is a repetition (I4). */
export class SameAnswerPromises {
  readonly #parts: SameAnswerParts
  readonly #asked = new WeakMap<GameCall, { readonly atMs: number; readonly diskChanges: number }>()
  /** From when on the answer of an id may have been stored, while the first answer is not known. */
  readonly #firstAskedMs = new Map<string, number>()
  readonly #first = new Map<string, FirstAnswer>()
  /** The different calls that an id was used for. */
  readonly #callsOf = new Map<string, Set<string>>()
  #lastCutMs = Number.NEGATIVE_INFINITY

  constructor(parts: SameAnswerParts) {
    this.#parts = parts
  }

  onAsked(call: GameCall): void {
    const { nowMs, storeDisk } = this.#parts
    this.#asked.set(call, { atMs: nowMs(), diskChanges: storeDisk?.changes ?? 0 })
    const { id } = call
    if (id === undefined) return
    if (!this.#firstAskedMs.has(id)) this.#firstAskedMs.set(id, nowMs())
    this.#callsOf.set(id, (this.#callsOf.get(id) ?? new Set()).add(textOf(call)))
  }

  onTold(call: GameCall, told: Told, { isAlone, isRepeated }: UseOfId): void {
    const { id } = call
    this.#checkEnd(call, told)
    this.#checkDoubt(call, told)
    this.#checkKept(call, told)
    if (id === undefined || isLateAnswerAnother(call) || this.#isAmbiguous(id)) return
    const first = this.#first.get(id)
    if (first && this.#isRemembered(first, call, isRepeated)) this.#compare(first, call, told, isAlone)
    else if (isStored(call, told)) this.#note(id, call, told)
  }

  /** A file does not say which of two calls it answers, and a power cut may bring back the claim of the first one. */
  #isAmbiguous(id: string): boolean {
    return this.#parts.callsBy === 'files' && (this.#callsOf.get(id)?.size ?? 0) > 1
  }

  /** Only what does harm when it runs twice survives it for certain. */
  onPowerCut(): void {
    this.#lastCutMs = this.#parts.nowMs()
    for (const [id, { call, storedFromMs }] of this.#first) {
      if (isPurchase(call)) continue
      this.#first.delete(id)
      // It may also have survived, so the next answer may be as old as this one.
      this.#firstAskedMs.set(id, storedFromMs)
    }
  }

  #note(id: string, call: GameCall, told: Told): void {
    const { nowMs, storeDisk, callsBy } = this.#parts
    const asked = this.#asked.get(call)
    // An answer that could not be stored is given all the same.
    const wasHealthy = storeDisk?.isHealthy === true && storeDisk.changes === asked?.diskChanges
    const askedMs = this.#firstAskedMs.get(id) ?? nowMs()
    // A power cut may leave an answer in a file, and not in the journal. A file does not say to which call it belongs.
    const mayBeLost = Math.min(askedMs, asked?.atMs ?? 0) <= this.#lastCutMs
    if (!isPurchase(call.operation) && (!wasHealthy || mayBeLost || isRepetition(told.text))) return
    this.#firstAskedMs.delete(id)
    // An answer from a claim of an earlier agent does not say that it is a repetition.
    const before = this.#first.get(id)
    const isKnown = before && withoutMark(before.text) === withoutMark(told.text)
    // A repetition may be older, and so may an answer that was read late.
    const mayBeOlder = isRepetition(told.text) || callsBy === 'files'
    this.#first.set(id, {
      ...{ call: textOf(call), text: told.text, code: told.code, toldMs: nowMs(), askedMs },
      storedFromMs: isKnown ? before.storedFromMs : mayBeOlder ? askedMs : nowMs(),
      diskChanges: storeDisk?.changes ?? 0,
    })
  }

  /** After `retryAt` the platform sends the order again, and an equal report is a new one. */
  #checkEnd(call: GameCall, told: Told): void {
    const { isAgeKnown, network, clock } = this.#parts
    const { retryAt } = told.data
    if (typeof retryAt !== 'string' || !isRepetition(told.text) || network.wasDateWrong) return
    const endMs = Date.parse(retryAt) - startOfRunMs
    // An answer that is still remembered was stored at most a window before its end.
    if (!isAgeKnown(endMs - idWindowMs)) return
    // A clock that nobody has set is hardly wrong.
    const errorMsMax = clock.lastSetMs === undefined ? 0 : platformTimeErrorMsMax
    if ((this.#asked.get(call)?.atMs ?? 0) > endMs + errorMsMax)
      this.#parts.break('an answer that ends is not given after its end', `${call.id}: ${told.text}`)
  }

  /** A call that may be repeated is sent again until its answer is certain. */
  #checkDoubt({ id, operation: name }: GameCall, { isUncertain, text }: Told): void {
    const operation = operationNamed(name)
    const isOnce = operation?.kind === 'platform' && operation.retry === 'once'
    if (isUncertain && !isOnce && isRepetition(text) && !this.#isAmbiguous(id ?? ''))
      this.#parts.break('a doubt is given again only for a call that must not be made twice', `${id}: ${text}`)
  }

  /** A refusal that says nothing about the call itself may be another one later. */
  #checkKept({ id = '' }: GameCall, { ok, isUncertain, status = 0, code, text }: Told): void {
    const isOfMoment = ofAttempts.has(status) || status >= 500
    if (!ok && !isUncertain && code === undefined && isOfMoment && isRepetition(text) && !this.#isAmbiguous(id))
      this.#parts.break('a refusal that may be another one later is not given again', `${id}: ${text}`)
  }

  #isRemembered(first: FirstAnswer, { operation }: GameCall, isRepeated: boolean): boolean {
    const { storedFromMs, askedMs, diskChanges } = first
    const { nowMs, isWindowKept, isAgeKnown, storeDisk } = this.#parts
    if (nowMs() - storedFromMs > idWindowMs) return false
    if (isPurchase(operation)) return isWindowKept(askedMs) && (isAgeKnown(askedMs) || !isRepeated)
    return isAgeKnown(askedMs) && storeDisk?.isHealthy === true && storeDisk.changes === diskChanges
  }

  #compare(first: FirstAnswer, call: GameCall, told: Told, isAlone: boolean): void {
    const { callsBy, mayBeStoredUnseen } = this.#parts
    if (first.call !== textOf(call)) {
      if (told.ok) this.#parts.break('an id is not used for two calls', `${call.id}: ${told.text}`)
      return
    }
    if (saysNothingAboutId(told) || (told.code === idReused && !isAlone)) return
    const wasAskedBefore = (this.#asked.get(call)?.atMs ?? Number.POSITIVE_INFINITY) < first.toldMs
    // A refusal that was not stored may be older than the first stored answer and arrive after it.
    if (wasAskedBefore && !isStored(call, told)) return
    // Its agent tells that it is in doubt, the others give what was stored.
    const isDoubtOfStore = [first.code, told.code].includes(answerLost) && mayBeStoredUnseen(call.id ?? '')
    if (isDoubtOfStore) return
    if (withoutMark(first.text) !== withoutMark(told.text))
      this.#parts.break('every answer to one id is the same', `${call.id}: ${first.text} and ${told.text}`)
    // A file that an earlier agent claimed gets its first answer.
    const isLater = callsBy === 'http' && (this.#asked.get(call)?.atMs ?? 0) > first.toldMs
    if (isLater && !isRepetition(told.text))
      this.#parts.break('an answer that was given before says so', `${call.id}: ${told.text}`)
  }
}

/** Envelopes live for a shorter time, an order changes, and the success of a `TEMPORARY` report ends with its `retryAt`. */
function isLateAnswerAnother({ operation, input }: GameCall): boolean {
  return operation.endsWith('.envelope') || operation.startsWith('orders.') || input['reason'] === 'TEMPORARY'
}

/** The agent's own refusal, before it looks for the id, or because it cannot. */
function saysNothingAboutId({ code, isUncertain }: Told): boolean {
  return code !== undefined && code !== idReused && (!isUncertain || ofTheMoment.includes(code))
}

/** Whether the agent stores an answer. Most refusals with a code are its own. */
function isStored({ operation }: GameCall, { ok, isUncertain, status = 0, code }: Told): boolean {
  if (code === idReused || (code !== undefined && ofTheMoment.includes(code))) return false
  if (isPurchase(operation)) return ok || isUncertain || [400, 404, 409, 422].includes(status)
  return ok || (!isUncertain && code === undefined && [404, 409].includes(status))
}

/** A purchase is made once, whatever happens. @param call An operation, or the text of a call. */
function isPurchase(call: string): boolean {
  return call === 'transaction.create' || call.startsWith('transaction.create ')
}

function textOf({ operation, input }: GameCall): string {
  return `${operation} ${JSON.stringify(input)}`
}
