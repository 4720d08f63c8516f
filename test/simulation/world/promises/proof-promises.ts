import type { AttemptResult } from '../../../../agent/platform/attempt-result.ts'
import { startOfRunMs } from '../../host-clock.ts'
import type { Day } from '../game/game-program.ts'
import type { SentRequest } from '../witnessed.ts'
import type { Break } from './judge.ts'

/** An agent that heard the platform only over a slow network knows its clock no better. */
const clockErrorMsMax = 11_000
/** How old the platform's word may be when an order is handed over. */
const freshMs = 60_000

/** When the platform was asked about a transaction by one agent. */
interface Word {
  /** When the last question left that was answered. */
  readonly askedMs: number
  /** When the last one left that was answered with "it waits for the delivery". */
  readonly awaitedMs: number
}

const never: Word = { askedMs: Number.NEGATIVE_INFINITY, awaitedMs: Number.NEGATIVE_INFINITY }

/** A `TEMPORARY` report that the platform accepted. */
interface PutOff {
  readonly acceptedMs: number
  /** When the platform sends the order again. */
  readonly untilMs: number
}

interface ProofPromisesParts {
  readonly break: Break
  readonly nowMs: () => number
  readonly day: Day
  /** When the process that runs now was started. */
  readonly startedMs: () => number
  /** Whether every webhook about its orders comes to this agent. */
  readonly isAlone: boolean
}

/** An agent believes no webhook: it asks the platform before it hands an order over, and before it takes an end for true. */
export class ProofPromises {
  readonly #parts: ProofPromisesParts
  readonly #words = new Map<number, Word>()
  readonly #putOff = new Map<number, PutOff>()
  /** When the first attempt of a report left that is not accepted yet. */
  readonly #reportedMs = new Map<number, number>()
  /** When the last webhook about a transaction arrived. */
  readonly #arrivedMs = new Map<number, number>()

  constructor(parts: ProofPromisesParts) {
    this.#parts = parts
  }

  /** @returns Called when the attempt has ended. */
  onSent({ path }: SentRequest): ((result: AttemptResult) => void) | undefined {
    const [, id, report] = /^\/v1\/api\/transactions\/(\d+)(\/delivery-failure)?$/.exec(path) ?? []
    if (id === undefined) return undefined
    const askedMs = this.#parts.nowMs()
    if (report !== undefined && !this.#reportedMs.has(Number(id))) this.#reportedMs.set(Number(id), askedMs)
    return (result) => {
      if (result.kind !== 'answered' || result.status !== 200) return
      const data = dataOf(result.body)
      if (report === undefined) this.#noteWord(Number(id), askedMs, data)
      else this.#notePutOff(Number(id), data)
    }
  }

  #noteWord(transactionId: number, askedMs: number, data: Data): void {
    const before = this.#words.get(transactionId) ?? never
    this.#words.set(transactionId, {
      askedMs: Math.max(before.askedMs, askedMs),
      awaitedMs: Math.max(before.awaitedMs, isAwaited(data) ? askedMs : never.awaitedMs),
    })
  }

  #notePutOff(transactionId: number, { retryAt }: Data): void {
    const untilMs = Date.parse(String(retryAt)) - startOfRunMs
    const reportedMs = this.#reportedMs.get(transactionId) ?? never.askedMs
    this.#reportedMs.delete(transactionId)
    const arrivedMs = this.#arrivedMs.get(transactionId) ?? never.askedMs
    if (!Number.isNaN(untilMs) && arrivedMs < reportedMs)
      this.#putOff.set(transactionId, { acceptedMs: this.#parts.nowMs(), untilMs })
  }

  /** A webhook arrives. The platform may send an order again, also late or twice: in doubt it is handed over. */
  onArrived(transactionId: number): void {
    this.#arrivedMs.set(transactionId, this.#parts.nowMs())
    this.#putOff.delete(transactionId)
  }

  onHandedOver(transactionId: number, by: string): void {
    const nowMs = this.#parts.nowMs()
    const { awaitedMs } = this.#words.get(transactionId) ?? never
    if (nowMs - awaitedMs > freshMs + 1)
      this.#parts.break(
        'an order is handed over only on an answer of the platform that is at most 60 s old',
        `${transactionId} by ${by}, ${nowMs - awaitedMs} ms`,
      )
    this.#checkPutOff(transactionId)
  }

  #checkPutOff(transactionId: number): void {
    const { nowMs, day, startedMs, isAlone } = this.#parts
    const putOff = this.#putOff.get(transactionId)
    // In the storm, and in a process that was killed, the agent may not have it on its disk.
    if (!isAlone || !putOff || putOff.acceptedMs < Math.max(day.stormEndedMs, startedMs())) return
    if (nowMs() < putOff.untilMs - clockErrorMsMax)
      this.#parts.break(
        'an order that is put off is not handed over before its retryAt',
        `${transactionId}: ${putOff.untilMs - nowMs()} ms too early`,
      )
  }

  /** @param arrivedMs When the webhook arrived. */
  onAcknowledged(event: string, transactionId: number, arrivedMs: number): void {
    const { askedMs } = this.#words.get(transactionId) ?? never
    if (event === 'transaction_terminal' && askedMs < arrivedMs)
      this.#parts.break('the platform is asked before a terminal event is believed', String(transactionId))
  }
}

type Data = Readonly<Partial<Record<'paymentStatus' | 'deliveryStatus' | 'retryAt', unknown>>>

/** Empty for a proxy's page. */
function dataOf(body: Uint8Array): Data {
  try {
    return (JSON.parse(Buffer.from(body).toString()) as { readonly data?: Data }).data ?? {}
  } catch {
    return {}
  }
}

function isAwaited({ paymentStatus, deliveryStatus }: Data): boolean {
  return paymentStatus === 'PAGO' && deliveryStatus === 'AGUARDANDO_SERVIDOR'
}
