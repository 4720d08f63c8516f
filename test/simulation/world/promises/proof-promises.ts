import type { AttemptResult } from '../../../../agent/platform/attempt-result.ts'
import type { SentRequest } from '../witnessed.ts'
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

/** An agent believes no webhook: it asks the platform before it hands an order over, and before it takes an end for true. */
export class ProofPromises {
  readonly #break: Break
  readonly #nowMs: () => number
  readonly #words = new Map<number, Word>()

  constructor(onBroken: Break, nowMs: () => number) {
    this.#break = onBroken
    this.#nowMs = nowMs
  }

  /** @returns Called when the attempt has ended. */
  onSent({ path }: SentRequest): ((result: AttemptResult) => void) | undefined {
    const [, id] = /^\/v1\/api\/transactions\/(\d+)$/.exec(path) ?? []
    if (id === undefined) return undefined
    const askedMs = this.#nowMs()
    return (result) => {
      if (result.kind !== 'answered' || result.status !== 200) return
      const before = this.#words.get(Number(id)) ?? never
      this.#words.set(Number(id), {
        askedMs: Math.max(before.askedMs, askedMs),
        awaitedMs: Math.max(before.awaitedMs, isAwaited(result.body) ? askedMs : never.awaitedMs),
      })
    }
  }

  onHandedOver(transactionId: number, by: string): void {
    const { awaitedMs } = this.#words.get(transactionId) ?? never
    if (this.#nowMs() - awaitedMs > freshMs + 1)
      this.#break(
        'an order is handed over only on an answer of the platform that is at most 60 s old',
        `${transactionId} by ${by}, ${this.#nowMs() - awaitedMs} ms`,
      )
  }

  /** @param arrivedMs When the webhook arrived. */
  onAcknowledged(event: string, transactionId: number, arrivedMs: number): void {
    const { askedMs } = this.#words.get(transactionId) ?? never
    if (event === 'transaction_terminal' && askedMs < arrivedMs)
      this.#break('the platform is asked before a terminal event is believed', String(transactionId))
  }
}

function isAwaited(body: Uint8Array): boolean {
  try {
    const { data } = JSON.parse(Buffer.from(body).toString()) as { readonly data?: Readonly<Record<string, unknown>> }
    return data?.['paymentStatus'] === 'PAGO' && data['deliveryStatus'] === 'AGUARDANDO_SERVIDOR'
  } catch {
    // A proxy's page.
    return false
  }
}
