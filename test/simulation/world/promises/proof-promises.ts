import { orderLines } from '../../../../agent/orders/order-changes.ts'
import type { AttemptResult } from '../../../../agent/platform/attempt-result.ts'
import { isOfAnother } from '../platform-edge.ts'
import type { SentRequest } from '../sent-request.ts'
import type { LoggedLine, ReceivedWebhook } from '../witnessed.ts'
import { fieldsIn } from './fields-in.ts'
import type { Break } from './judge.ts'
import { isMixedUp } from './shown-transaction.ts'

/** How old the platform's word may be when an order is handed over. */
const freshMs = 60_000

/** The way of an answer from its decision to its caller. */
const onItsWayMsMax = 1_000

/** A reply is in the ledger some time before it is logged: the disk is slow. */
const loggedMsMax = 5_000

/** When the platform was asked about a transaction by one agent. */
interface Word {
  /** When the last question left that was answered. */
  readonly askedMs: number
  /** When the last one left that was answered with "it waits for the delivery". */
  readonly awaitedMs: number
  /** When the last one left to which the platform said that it knows no such transaction, or showed another one. */
  readonly deniedMs: number
}

const longAgo = Number.NEGATIVE_INFINITY
const never: Word = { askedMs: longAgo, awaitedMs: longAgo, deniedMs: longAgo }

interface ProofPromisesParts {
  readonly break: Break
  readonly nowMs: () => number
  /** Whether a transaction is one of this game server. */
  readonly isOurs: (transactionId: number) => boolean
}

/** An agent believes no webhook: it asks the platform before it hands an order over, takes an end for true, or opens an order again. */
export class ProofPromises {
  readonly #parts: ProofPromisesParts
  readonly #words = new Map<number, Word>()
  #wokeMs = Number.NEGATIVE_INFINITY
  /** When the ledger had the last reply that does not end an order. */
  readonly #repliedMs = new Map<number, number>()

  constructor(parts: ProofPromisesParts) {
    this.#parts = parts
  }

  /** @returns Called when the attempt has ended. */
  onSent(request: SentRequest): ((result: AttemptResult) => void) | undefined {
    const { operation, transactionId: id } = request
    if (operation !== 'transaction.get' || id === undefined) return undefined
    const askedMs = this.#parts.nowMs()
    return (result) => {
      if (result.kind !== 'answered' || isMixedUp(request, result)) return
      const { data = {}, message } = fieldsIn<Body>(result.body)
      if (isOfAnother(data.itemRef)) this.#noteWord(id, { deniedMs: askedMs })
      else if (result.status === 200) this.#noteWord(id, { askedMs, awaitedMs: isAwaited(data) ? askedMs : longAgo })
      else if (denials.has(result.status) && message !== undefined) this.#noteWord(id, { deniedMs: askedMs })
    }
  }

  #noteWord(transactionId: number, word: Partial<Word>): void {
    const before = this.#words.get(transactionId) ?? never
    const { askedMs, awaitedMs, deniedMs } = { ...never, ...word }
    this.#words.set(transactionId, {
      askedMs: Math.max(before.askedMs, askedMs),
      awaitedMs: Math.max(before.awaitedMs, awaitedMs),
      deniedMs: Math.max(before.deniedMs, deniedMs),
    })
  }

  /** A proxy's page is not the platform's word. */
  onWebhookDenied(transactionId: number, { arrivedMs }: ReceivedWebhook): void {
    const { deniedMs } = this.#words.get(transactionId) ?? never
    if (this.#parts.isOurs(transactionId) && deniedMs < arrivedMs - freshMs)
      this.#parts.break('a webhook about an order of ours is denied only if the platform denies it', `${transactionId}`)
  }

  onSlept(): void {
    this.#wokeMs = this.#parts.nowMs()
  }

  onHandedOver(transactionId: number, by: string): void {
    const nowMs = this.#parts.nowMs()
    const { awaitedMs } = this.#words.get(transactionId) ?? never
    // The answer may have been on its way when all machines fell asleep.
    if (nowMs < this.#wokeMs + onItsWayMsMax) return
    if (nowMs - awaitedMs > freshMs + 1)
      this.#parts.break(
        'an order is handed over only on an answer of the platform that is at most 60 s old',
        `${transactionId} by ${by}, ${nowMs - awaitedMs} ms`,
      )
  }

  /** The ledger has a reply, or an order is open again. */
  onLogged({ text, msg, transactionId = 0 }: LoggedLine): void {
    if (msg === orderLines.taken || msg === orderLines.putOff) this.#repliedMs.set(transactionId, this.#parts.nowMs())
    const repliedMs = this.#repliedMs.get(transactionId)
    if (msg !== orderLines.openAgain || repliedMs === undefined) return
    if ((this.#words.get(transactionId) ?? never).awaitedMs < repliedMs - loggedMsMax)
      this.#parts.break('an order is open again only on an answer that is newer than its reply', text)
  }

  onAcknowledged(event: string, transactionId: number, { arrivedMs }: ReceivedWebhook): void {
    const { askedMs } = this.#words.get(transactionId) ?? never
    if (event === 'transaction_terminal' && askedMs < arrivedMs)
      this.#parts.break('the platform is asked before a terminal event is believed', String(transactionId))
  }
}

type Data = Readonly<Partial<Record<'paymentStatus' | 'deliveryStatus' | 'itemRef', unknown>>>

interface Body {
  readonly data?: Data
  /** Of a refusal. */
  readonly message?: unknown
}

/** With these the platform says that a transaction is not of this game server. */
const denials: ReadonlySet<number> = new Set([403, 404])

function isAwaited({ paymentStatus, deliveryStatus }: Data): boolean {
  return paymentStatus === 'PAGO' && deliveryStatus === 'AGUARDANDO_SERVIDOR'
}
