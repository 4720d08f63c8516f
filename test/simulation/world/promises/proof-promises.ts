import { orderLines } from '../../../../agent/orders/order-changes.ts'
import type { AttemptResult } from '../../../../agent/platform/attempt-result.ts'
import type { LoggedLine, ReceivedWebhook, SentRequest } from '../witnessed.ts'
import type { Break } from './judge.ts'

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

interface ProofPromisesParts {
  readonly break: Break
  readonly nowMs: () => number
}

/** An agent believes no webhook: it asks the platform before it hands an order over, takes an end for true, or opens an order again. */
export class ProofPromises {
  readonly #parts: ProofPromisesParts
  readonly #words = new Map<number, Word>()
  /** When the ledger had the last reply that does not end an order. */
  readonly #repliedMs = new Map<number, number>()

  constructor(parts: ProofPromisesParts) {
    this.#parts = parts
  }

  /** @returns Called when the attempt has ended. */
  onSent({ path }: SentRequest): ((result: AttemptResult) => void) | undefined {
    const [, id] = /^\/v1\/api\/transactions\/(\d+)$/.exec(path) ?? []
    if (id === undefined) return undefined
    const askedMs = this.#parts.nowMs()
    return (result) => {
      if (result.kind !== 'answered' || result.status !== 200) return
      this.#noteWord(Number(id), askedMs, dataOf(result.body))
    }
  }

  #noteWord(transactionId: number, askedMs: number, data: Data): void {
    const before = this.#words.get(transactionId) ?? never
    this.#words.set(transactionId, {
      askedMs: Math.max(before.askedMs, askedMs),
      awaitedMs: Math.max(before.awaitedMs, isAwaited(data) ? askedMs : never.awaitedMs),
    })
  }

  onHandedOver(transactionId: number, by: string): void {
    const nowMs = this.#parts.nowMs()
    const { awaitedMs } = this.#words.get(transactionId) ?? never
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
    if ((this.#words.get(transactionId) ?? never).awaitedMs < repliedMs)
      this.#parts.break('an order is open again only on an answer that is newer than its reply', text)
  }

  onAcknowledged(event: string, transactionId: number, { arrivedMs }: ReceivedWebhook): void {
    const { askedMs } = this.#words.get(transactionId) ?? never
    if (event === 'transaction_terminal' && askedMs < arrivedMs)
      this.#parts.break('the platform is asked before a terminal event is believed', String(transactionId))
  }
}

type Data = Readonly<Partial<Record<'paymentStatus' | 'deliveryStatus', unknown>>>

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
