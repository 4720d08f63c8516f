import type { Order } from '../../../../agent/orders/order.ts'
import { awaitsReply } from '../../../../agent/orders/order-moves.ts'
import type { AttemptResult } from '../../../../agent/platform/attempt-result.ts'
import type { DiskFaults } from '../../disk/disk-faults.ts'
import { isOfAnother } from '../platform-edge.ts'
import type { SentRequest } from '../sent-request.ts'
import type { AgentWitness } from '../witnessed.ts'
import type { ProcessParts } from './judge.ts'
import { shownIn } from './shown-transaction.ts'

interface DoubtOverParts extends ProcessParts {
  /** As its ledger has it now. */
  readonly findOrder: (transactionId: number) => Order | undefined
  readonly disk: Pick<DiskFaults, 'changes' | 'isHealthy'>
}

/** The last word about an order, and what must be the same when it counts. */
interface AwaitedWord {
  readonly atMs: number
  readonly startedMs: number
  readonly diskChanges: number
  readonly generation: number
}

/** A word is in the ledger by then. */
const notedMs = 10_000
/** The agent also asks about a report that is over by then, which says nothing about the order. */
const reportMs = 2 * 60_000

/** An order is closed when the platform has not known it for a day. When the platform waits for the order again, the doubt ends. */
export class DoubtOverPromises implements Partial<AgentWitness> {
  readonly #parts: DoubtOverParts
  /** By transaction: the platform has said last that it waits for the delivery. */
  readonly #awaited = new Map<number, AwaitedWord>()

  /** When something was reported last, by transaction. */
  readonly #reportedMs = new Map<number, number>()

  constructor(parts: DoubtOverParts) {
    this.#parts = parts
  }

  /** @returns Called when the attempt has ended. */
  onSent(request: SentRequest): ((result: AttemptResult) => void) | undefined {
    const { operation, transactionId: id } = request
    const { startedMs, nowMs, disk, findOrder } = this.#parts
    if (id === undefined) return undefined
    if (operation !== 'transaction.get') {
      this.#reportedMs.set(id, nowMs())
      return undefined
    }
    this.#check(id)
    const isReport = nowMs() < (this.#reportedMs.get(id) ?? Number.NEGATIVE_INFINITY) + reportMs
    const [processMs, asked] = [startedMs(), findOrder(id)]
    return (result) => {
      this.#awaited.delete(id)
      if (isReport || !asked || !awaitsReply(asked.phase) || processMs !== startedMs()) return
      if (!isAwaited(request, result)) return
      const { generation } = asked
      this.#awaited.set(id, { atMs: nowMs(), startedMs: processMs, diskChanges: disk.changes, generation })
    }
  }

  #check(transactionId: number): void {
    const { startedMs, nowMs, disk, findOrder } = this.#parts
    const said = this.#awaited.get(transactionId)
    const order = findOrder(transactionId)
    if (!said || !order || said.startedMs !== startedMs() || nowMs() < said.atMs + notedMs) return
    const isUndisturbed = disk.isHealthy && disk.changes === said.diskChanges
    if (isUndisturbed && order.generation === said.generation && order.unknownSinceMs !== null)
      this.#parts.break('a doubt about an order ends when the platform waits for it', String(transactionId))
  }
}

function isAwaited(request: SentRequest, result: AttemptResult): boolean {
  const data = shownIn(request, result)
  return data?.['deliveryStatus'] === 'AGUARDANDO_SERVIDOR' && !isOfAnother(data['itemRef'])
}
