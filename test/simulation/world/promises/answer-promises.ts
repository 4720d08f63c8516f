import { limits } from '../../../../contract/limits.ts'
import { startOfRunMs } from '../../host-clock.ts'
import type { Network } from '../../network/network.ts'
import type { Scheduler } from '../../scheduler.ts'
import type { Day } from '../day.ts'
import type { GameCall, Told } from '../game/call-agent.ts'
import type { GameWays } from '../game/game-parts.ts'
import type { ModelPlatform } from '../model-platform.ts'
import { tellAll } from '../tell-all.ts'
import type { AgentWitness } from '../witnessed.ts'
import { actedAsTold } from './acted.ts'
import { AnswerFields } from './answer-fields.ts'
import { AttemptPromises, type OwnAgent } from './attempt-promises.ts'
import type { FilePromises } from './file-promises.ts'
import { idWindowMs } from './id-window.ts'
import type { Break } from './judge.ts'
import { PassedOnPromises } from './passed-on-promises.ts'
import { isTimeKnown } from './platform-time.ts'
import { RetryPromises } from './retry-promises.ts'
import { type SameAnswerParts, SameAnswerPromises, type UseOfId } from './same-answer-promises.ts'

/** The agent says with these that the game server does not write what the guide says. A file may be half-written. */
const ofMistakes: ReadonlySet<string> = new Set([
  'FILE_HALF_WRITTEN',
  'FILE_NOT_READABLE',
  'JSON_INVALID',
  'INPUT_INVALID',
  'INPUT_MISSING',
  'INPUT_NOT_OBJECT',
  'OPERATION_UNKNOWN',
])

/** An agent that learns by a 401 that its clock is wrong has time for one more attempt within this, at any deadline. */
const oneMoreAttemptMs = 4_000
/** Agents that share a store have different deadlines. */
const longestDeadlineMs = 30_000
/** After the deadline of a call over HTTP: the way to the agent and back, and two syncs of a slow disk. */
const lateMsMax = 4_000

/** Calls with one id. */
interface Asked extends UseOfId {
  /** Those that may still be answered, or act. */
  readonly open: readonly GameCall[]
  /** Whether the purchase was made before the last call. */
  readonly wasMade: boolean
}

/** Of a call that a process before this one has asked. */
const neverSeen = { nowMs: 0, sleptMs: 0 }
const neverAsked: Asked = { open: [], isAlone: false, wasMade: true, isRepeated: false }

interface AnswerPromisesParts extends Omit<SameAnswerParts, 'storeDisk'> {
  readonly day: Day
  readonly scheduler: Pick<Scheduler, 'sleptMs'>
  readonly files: Pick<FilePromises, 'calls' | 'onCalledInvalid'>
  readonly platform: ModelPlatform
  readonly network: Network
  readonly ownAgent: OwnAgent | undefined
  readonly gameServerId: () => number | undefined
}

/**
 * What the callers of one agent are told about purchases, which are `once`: each is made at most once, and each answer is true (I2, I4, I5).
 * The buyer of each has a name of its own, so that the platform's purchases of that name are those of one id.
 */
export class AnswerPromises {
  readonly #break: Break
  readonly #platform: ModelPlatform
  readonly #nowMs: () => number
  /** Purchases that were told to be refused, for certain. */
  readonly #refused = new Map<string, Told>()
  /** Calls without an answer, by id. One of them may act after another one was refused. */
  readonly #asked = new Map<string, Asked>()
  /** The ids of calls whose answers nobody hears. */
  readonly #unheard = new Set<string>()
  #checkedId = 0
  /** When each purchase was made first. */
  readonly #madeMs = new Map<string, number>()
  /** When the answer to a file appeared last, by id. */
  readonly #shownMs = new Map<string, number>()
  readonly #isWindowKept: AnswerPromisesParts['isWindowKept']
  readonly #isAgeKnown: AnswerPromisesParts['isAgeKnown']
  readonly #clock: AnswerPromisesParts['clock']
  readonly #gameServerId: AnswerPromisesParts['gameServerId']
  readonly #callsBy: GameWays['callsBy']
  readonly #ownAgent: OwnAgent | undefined
  readonly #files: AnswerPromisesParts['files']
  readonly #day: Day
  readonly #attempts: AttemptPromises
  readonly #retries: RetryPromises
  readonly #passedOn: PassedOnPromises
  readonly onSent: AgentWitness['onSent']
  readonly #sameAnswers: SameAnswerPromises
  readonly #fields: AnswerFields
  readonly #scheduler: AnswerPromisesParts['scheduler']
  /** When each call was asked, and how long everything had slept by then. */
  readonly #askedAt = new WeakMap<GameCall, { readonly nowMs: number; readonly sleptMs: number }>()

  constructor(parts: AnswerPromisesParts) {
    this.#callsBy = parts.callsBy
    this.#ownAgent = parts.ownAgent
    this.#files = parts.files
    this.#day = parts.day
    this.#scheduler = parts.scheduler
    this.#break = parts.break
    this.#isWindowKept = parts.isWindowKept
    this.#isAgeKnown = parts.isAgeKnown
    this.#clock = parts.clock
    this.#gameServerId = parts.gameServerId
    this.#platform = parts.platform
    this.#nowMs = parts.nowMs
    this.#attempts = new AttemptPromises(parts)
    const isClockRight = () => isTimeKnown(parts)
    this.#retries = new RetryPromises({ ...parts, isClockRight })
    this.#passedOn = new PassedOnPromises(parts)
    this.onSent = tellAll([this.#attempts, this.#retries, this.#passedOn]).onSent
    this.#fields = new AnswerFields(parts)
    this.#sameAnswers = new SameAnswerPromises({ ...parts, storeDisk: parts.ownAgent?.diskFaults })
  }

  /** A caller that was refused asks again: the first refusal says nothing about what follows. */
  readonly onAsked = (call: GameCall): void => {
    this.#askedAt.set(call, { nowMs: this.#nowMs(), sleptMs: this.#scheduler.sleptMs })
    this.#attempts.onAsked(call)
    this.#retries.onAsked(call)
    this.#sameAnswers.onAsked(call)
    this.#fields.onAsked(call)
    const { id = '' } = call
    this.checkPurchases()
    this.#checkRefusals()
    this.#refused.delete(id)
    const before = this.#asked.get(id)
    const open = [...(before?.open ?? []).filter((other) => !this.#isOver(other)), call]
    this.#asked.set(id, {
      ...{ open, isAlone: open.length === 1, isRepeated: before !== undefined },
      wasMade: this.#madeMs.has(id),
    })
  }

  readonly onUnheard = (call: GameCall): void => {
    this.#attempts.onUnheard(call)
    this.#retries.onUnheard(call)
    if (call.id !== undefined) this.#unheard.add(call.id)
  }

  /** A file of the spool has got another name. */
  readonly onRenamed = (_from: string, to: string): void => {
    const [, id] = /\/inbox\/([^/]+)\.json$/.exec(to) ?? []
    if (id === undefined) return
    // The answer before this one says what a purchase may be.
    this.checkPurchases()
    this.#shownMs.set(id, this.#nowMs())
  }

  readonly onTold = (call: GameCall, told: Told): void => {
    const { operation, id } = call
    this.#checkAfterStorm(call, told)
    this.#attempts.onTold(call, told)
    this.#retries.onTold(call, told)
    this.#passedOn.onTold(call, told)
    this.#fields.onTold(call, told)
    // An agent that ends, or does not know the token, reads no request.
    if (told.id !== id && told.code !== 'SHUTTING_DOWN' && told.code !== 'TOKEN_INVALID')
      this.#break('an answer has the id of its request', `${id}: ${told.text}`)
    if (told.ok && !actedAsTold(call, this.#platform, this.#gameServerId()))
      this.#break('ok means that the platform acted', `${JSON.stringify(call)}: ${told.text}`)
    const isCalledInvalid = told.code !== undefined && ofMistakes.has(told.code)
    if (isCalledInvalid) this.#onCalledInvalid(id, told.text)
    if (id === undefined) return
    const asked = this.#asked.get(id) ?? neverAsked
    const { isAlone, wasMade } = asked
    this.#asked.set(id, { ...asked, open: asked.open.filter((other) => other !== call) })
    // A file that was not written to its end is not a call.
    if (!isCalledInvalid) this.#sameAnswers.onTold(call, told, asked)
    if (operation !== 'transaction.create') return
    this.checkPurchases()
    if (told.ok && !this.#isMade(id, told)) this.#break('ok means that the platform acted', `${id}: ${told.text}`)
    if (!told.ok && !told.isUncertain && isAlone) {
      if (!wasMade) this.#refused.set(id, told)
      else this.#checkIsForgotten(id, told)
    }
    this.#checkRefusals()
  }

  /** The interface does not promise the number of the transaction. */
  #isMade(id: string, { data: { transactionId } }: Told): boolean {
    const { transactions } = this.#platform.composed.platform.tables
    if (transactionId === undefined) return this.#madeMs.has(id)
    return transactions.byId(Number(transactionId))?.buyerCharacterRef === id
  }

  /** The platform refuses a purchase whose id has been used for one. */
  #checkIsForgotten(id: string, { code, text }: Told): void {
    const madeMs = this.#madeMs.get(id) ?? Number.NEGATIVE_INFINITY
    if (code === undefined && this.#nowMs() < madeMs + idWindowMs && this.#isAgeKnown(madeMs))
      this.#break('a purchase that was made is not made again within its window', `${id}: ${text}`)
  }

  /** A call over HTTP ends with its process, or a little later than its deadline. A file waits for an agent. */
  #isOver(call: GameCall): boolean {
    if (this.#callsBy === 'files') return false
    const { nowMs: askedMs, sleptMs } = this.#askedOf(call)
    const isOfProcess = this.#ownAgent === undefined || this.#ownAgent.startedMs() <= askedMs
    return !isOfProcess || (sleptMs === this.#scheduler.sleptMs && this.#nowMs() > askedMs + this.#tookMsMax)
  }

  #askedOf(call: GameCall): typeof neverSeen {
    return this.#askedAt.get(call) ?? neverSeen
  }

  /** What a call over HTTP may take. */
  get #tookMsMax(): number {
    return (this.#ownAgent?.callDeadlineMs() ?? longestDeadlineMs) + lateMsMax
  }

  /** The game server has waited for longer than the deadline of a call over HTTP. */
  readonly onUnanswered = (call: GameCall): void => {
    const { nowMs: askedMs } = this.#askedOf(call)
    const isOfProcess = this.#ownAgent?.isWorking() && this.#ownAgent.startedMs() < askedMs
    if (isOfProcess && this.#isUndisturbed(call)) this.#break('every call is answered', JSON.stringify(call))
  }

  /** Whether no fault of the storm and no sleep has struck it. */
  #isUndisturbed(call: GameCall): boolean {
    const { nowMs: askedMs, sleptMs } = this.#askedOf(call)
    return askedMs > this.#day.stormEndedMs && sleptMs === this.#scheduler.sleptMs
  }

  #checkAfterStorm(call: GameCall, told: Told): void {
    if (!this.#isUndisturbed(call)) return
    const { nowMs: askedMs } = this.#askedOf(call)
    const tookMs = this.#nowMs() - askedMs
    if (told.code === 'EARLIER_CALL_UNFINISHED' && this.#isOnlyFile(call))
      this.#break('a file waits for its turn as long as necessary', `${call.operation}: ${told.text}`)
    if (this.#callsBy === 'http' && tookMs > this.#tookMsMax)
      this.#break('a call is answered by its deadline', `${call.operation}: ${tookMs} ms, ${told.text}`)
    // Both attempts may have a wrong time if the clock is set between them.
    const wasClockSet = (this.#clock.lastSetMs ?? 0) >= askedMs
    // A proxy's page says nothing about the signature.
    if (told.status === 401 && told.code === undefined && tookMs < oneMoreAttemptMs && !wasClockSet)
      this.#break('no correct request is refused for its signature', told.text)
  }

  /** Whether a call is a file that shares its id with no other call, and whose agent shares its store with no other one. */
  #isOnlyFile(call: GameCall): boolean {
    const { id = '' } = call
    const isFile = this.#files.calls.get(id) === call
    return this.#ownAgent !== undefined && isFile && !this.#unheard.has(id) && this.#asked.get(id)?.isRepeated === false
  }

  #onCalledInvalid(id: string | undefined, text: string): void {
    if (this.#callsBy === 'files' && id !== undefined) this.#files.onCalledInvalid(id, text)
    else this.#break('no request of a game server that writes correct ones is called invalid', text)
  }

  /** Looks at the purchases that are new. */
  checkPurchases(): void {
    const { transactions } = this.#platform.composed.platform.tables
    for (;;) {
      const next = transactions.byId(this.#checkedId + 1)
      if (!next) return
      this.#checkedId++
      const { buyerCharacterRef: id, gameServerId, createdAt } = next
      if (gameServerId !== this.#gameServerId()) continue
      const madeMs = this.#madeMs.get(id)
      const nextMs = createdAt - startOfRunMs
      this.#madeMs.set(id, madeMs ?? nextMs)
      const answeredMs = this.#shownMs.get(id) ?? madeMs ?? nextMs
      if (madeMs !== undefined && this.#isWindowKept(madeMs) && !this.#mayBeNew(id, madeMs, nextMs - answeredMs))
        this.#break('a purchase with an id is made at most once', id)
    }
  }

  /**
   * A second file with an id waits until the answer to the first appears. If the agent is away after that, or starts with
   * another time, the id may be forgotten. Another game server of the identity may have written both.
   */
  #mayBeNew(id: string, madeMs: number, afterMs: number): boolean {
    const isForgotten = afterMs > limits.idempotencyWindowMs || !this.#isAgeKnown(madeMs)
    return isForgotten && this.#asked.get(id)?.isRepeated !== false
  }

  #checkRefusals(): void {
    for (const [id, told] of this.#refused) {
      const madeMs = this.#madeMs.get(id)
      if (madeMs !== undefined && this.#isWindowKept(madeMs))
        this.#break('a refusal without uncertain means that the platform did not act', `${id}: ${told.text}`)
    }
  }

  onPowerCut(): void {
    this.#attempts.onPowerCut()
    this.#sameAnswers.onPowerCut()
  }

  /** At each look, and in the end: what is refused for certain is never made later. */
  check(): void {
    this.checkPurchases()
    this.#checkRefusals()
  }
}
