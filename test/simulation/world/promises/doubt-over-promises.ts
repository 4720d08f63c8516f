import type { Order } from '../../../../agent/orders/order.ts'
import { awaitsReply } from '../../../../agent/orders/order-moves.ts'
import type { AttemptResult } from '../../../../agent/platform/attempt-result.ts'
import type { DiskFaults } from '../../disk/disk-faults.ts'
import { isOfAnother } from '../platform-edge.ts'
import type { Fields, SentRequest } from '../sent-request.ts'
import type { AgentWitness } from '../witnessed.ts'
import { fieldsIn } from './fields-in.ts'
import type { ProcessParts } from './judge.ts'
import { isMixedUp } from './mixed-up.ts'

interface DoubtOverParts extends ProcessParts {
  /** As its ledger has it now. */
  readonly findOrder: (transactionId: number) => Order | undefined
  readonly disk: Pick<DiskFaults, 'changes' | 'isHealthy'>
}

/** The last word about an order, and what must be the same when it counts. */
interface Awaited {
  readonly atMs: number
  readonly startedMs: number
  readonly diskChanges: number
  readonly generation: number
}

/** A word is in the ledger by then. */
const notedMs = 10_000

/** An order is closed after a day in which the platform does not know it. When the platform waits for the order again, that day is over. */
export class DoubtOverPromises implements Partial<AgentWitness> {
  readonly #parts: DoubtOverParts
  /** By transaction: the platform has said last that it waits for the delivery. */
  readonly #awaited = new Map<number, Awaited>()

  constructor(parts: DoubtOverParts) {
    this.#parts = parts
  }

  /** @returns Called when the attempt has ended. */
  onSent(request: SentRequest): ((result: AttemptResult) => void) | undefined {
    const { operation, transactionId: id } = request
    if (operation !== 'transaction.get' || id === undefined) return undefined
    this.#check(id)
    const { startedMs, nowMs, disk, findOrder } = this.#parts
    const [processMs, asked] = [startedMs(), findOrder(id)]
    return (result) => {
      this.#awaited.delete(id)
      if (!asked || !awaitsReply(asked.phase) || !isAwaited(request, result) || processMs !== startedMs()) return
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
      this.#parts.break('a day of doubt begins again when the platform waits for the order', String(transactionId))
  }
}

function isAwaited(request: SentRequest, result: AttemptResult): boolean {
  if (result.kind !== 'answered' || result.status !== 200 || isMixedUp(request, result)) return false
  const { data } = fieldsIn<{ readonly data: Fields }>(result.body)
  return data?.['deliveryStatus'] === 'AGUARDANDO_SERVIDOR' && !isOfAnother(data['itemRef'])
}
