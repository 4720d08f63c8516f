import type { DiskFaults } from '../../disk/disk-faults.ts'
import type { GameCall, Told } from '../game/call-agent.ts'
import type { GameWays } from '../game/game-program.ts'
import type { Break } from './judge.ts'

/** How long the agent remembers an answer, less what a clock may drift. */
const windowMs = 10 * 60_000 - 1_000

/** Agents that share a store say with these that they do not know what became of the id. */
const ofTheMoment = ['STORE_UNREACHABLE', 'CALL_UNDER_WAY']

/** The first answer that an id has got. */
interface FirstAnswer {
  readonly call: string
  readonly text: string
  readonly toldMs: number
  /** When the id was sent first. Its answer was stored later. */
  readonly askedMs: number
  /** How often a fault of the disk had begun or ended. */
  readonly diskChanges: number
}

export interface SameAnswerParts {
  readonly break: Break
  readonly nowMs: () => number
  readonly callsBy: GameWays['callsBy']
  /** Whether the agent can know how old an id is: a wall clock that is set makes it wrong for the next process. */
  readonly isWindowKept: (sinceMs: number) => boolean
  /** Of the agent's own store. Undefined for one that may lose what does no harm when it runs twice. */
  readonly storeDisk: Pick<DiskFaults, 'changes' | 'isHealthy'> | undefined
}

/** Within ten minutes every answer to one id is the same. Each after the first says that it is a repetition (I4). */
export class SameAnswerPromises {
  readonly #parts: SameAnswerParts
  readonly #askedMs = new WeakMap<GameCall, number>()
  readonly #firstAskedMs = new Map<string, number>()
  readonly #first = new Map<string, FirstAnswer>()

  constructor(parts: SameAnswerParts) {
    this.#parts = parts
  }

  onAsked(call: GameCall): void {
    const nowMs = this.#parts.nowMs()
    this.#askedMs.set(call, nowMs)
    const { id } = call
    if (id !== undefined && !this.#firstAskedMs.has(id)) this.#firstAskedMs.set(id, nowMs)
  }

  /** @param isAlone Whether no other call had the id meanwhile. A call that is wrong may have it while an equal call comes. */
  onTold(call: GameCall, told: Told, isAlone: boolean): void {
    const { id } = call
    if (id === undefined || isAnsweredAnew(call) || !isKept(call, told, isAlone)) return
    const first = this.#first.get(id)
    if (first && this.#isRemembered(first, call)) this.#compare(first, call, told)
    else if (!isRepetition(told)) this.#note(id, call, told)
  }

  /** Only what does harm when it runs twice survives it. */
  onPowerCut(): void {
    for (const [id, { call }] of this.#first) if (!isPurchase(call)) this.#first.delete(id)
  }

  #note(id: string, call: GameCall, { text }: Told): void {
    const { nowMs, storeDisk } = this.#parts
    // An answer that could not be stored is given all the same.
    if (!isPurchase(call.operation) && !storeDisk?.isHealthy) return
    const toldMs = nowMs()
    const askedMs = this.#firstAskedMs.get(id) ?? toldMs
    this.#firstAskedMs.delete(id)
    this.#first.set(id, { call: textOf(call), text, toldMs, askedMs, diskChanges: storeDisk?.changes ?? 0 })
  }

  #isRemembered({ toldMs, askedMs, diskChanges }: FirstAnswer, { operation }: GameCall): boolean {
    const { nowMs, isWindowKept, storeDisk } = this.#parts
    if (nowMs() - toldMs > windowMs || !isWindowKept(askedMs)) return false
    return isPurchase(operation) || (storeDisk?.isHealthy === true && storeDisk.changes === diskChanges)
  }

  #compare(first: FirstAnswer, call: GameCall, told: Told): void {
    const { callsBy } = this.#parts
    if (first.call !== textOf(call)) {
      if (told.ok) this.#parts.break('an id is not used for two calls', `${call.id}: ${told.text}`)
      return
    }
    if (withoutMark(first.text) !== withoutMark(told.text))
      this.#parts.break('every answer to one id is the same', `${call.id}: ${first.text} and ${told.text}`)
    // A file that an earlier agent claimed gets its first answer.
    const isLater = callsBy === 'http' && (this.#askedMs.get(call) ?? 0) > first.toldMs
    if (isLater && !isRepetition(told))
      this.#parts.break('an id that has an answer is not called again', `${call.id}: ${told.text}`)
  }
}

/** Envelopes live for a shorter time, an order changes, and the success of a `TEMPORARY` report ends with its `retryAt`. */
function isAnsweredAnew({ operation, input }: GameCall): boolean {
  return operation.endsWith('.envelope') || operation.startsWith('orders.') || input['reason'] === 'TEMPORARY'
}

/** Whether an answer is stored. Refusals with a code are the agent's own. */
function isKept({ operation }: GameCall, { ok, isUncertain, status = 0, code }: Told, isAlone: boolean): boolean {
  if (code !== undefined && ofTheMoment.includes(code)) return false
  if (isPurchase(operation))
    return (isAlone || code !== 'ID_REUSED') && (ok || isUncertain || [400, 404, 409, 422].includes(status))
  return ok || (!isUncertain && code === undefined && [404, 409].includes(status))
}

/** A purchase is made once, whatever happens. @param call An operation, or the text of a call. */
function isPurchase(call: string): boolean {
  return call === 'transaction.create' || call.startsWith('transaction.create ')
}

function textOf({ operation, input }: GameCall): string {
  return `${operation} ${JSON.stringify(input)}`
}

function isRepetition({ text }: Told): boolean {
  return text.includes(',"replayed":true')
}

function withoutMark(text: string): string {
  return text.replace(',"replayed":true', '')
}
