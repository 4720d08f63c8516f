import { basename } from 'node:path'
import { cures } from '../../../../agent/language/cures.ts'
import type { Order } from '../../../../agent/orders/order.ts'
import type { Disk } from '../../disk/disk.ts'
import { orderOfFile } from '../order-of-file.ts'
import type { AgentWitness, LoggedLine } from '../witnessed.ts'
import { fieldsIn } from './fields-in.ts'
import type { ProcessParts } from './judge.ts'
import { isRefunded } from './late-result-promises.ts'

interface LateReplyParts extends ProcessParts {
  readonly disk: Disk
  readonly spool: string
  /** As its ledger has it now. */
  readonly findOrder: (transactionId: number) => Order | undefined
}

/** What a reply says about the result. */
interface Said {
  readonly result: string
  readonly data: { readonly result: string }
}

/** If a game server gave an item, and the reply in its file comes after the refund, the staff are told to take the item back. */
export class LateReplyPromises implements Partial<AgentWitness> {
  readonly #parts: LateReplyParts
  /** When the reply to each order was set aside, by transaction, until the staff are told. */
  readonly #untold = new Map<number, { readonly startedMs: number; readonly atMs: number }>()

  constructor(parts: LateReplyParts) {
    this.#parts = parts
  }

  onRenaming(from: string, to: string): void {
    const { disk, spool, findOrder, startedMs, nowMs } = this.#parts
    if (to !== `${from}.rejected` || !from.startsWith(`${spool}/replies/`)) return
    const order = findOrder(Number(orderOfFile(basename(from))))
    if (!order || !isOfGeneration(basename(from), order) || !isRefunded(order)) return
    const { result, data } = fieldsIn<Said>(disk.textOf(from))
    if ((result ?? data?.result) === 'DELIVERED')
      this.#untold.set(order.transactionId, { startedMs: startedMs(), atMs: nowMs() })
  }

  onLogged({ transactionId, cure }: LoggedLine): void {
    if (transactionId !== undefined && cure === cures.takeBack()) this.#untold.delete(transactionId)
  }

  /** At each look. A process that died in between tells nobody. */
  check(): void {
    const { startedMs, nowMs } = this.#parts
    for (const [id, untold] of this.#untold)
      if (untold.startedMs === startedMs() && nowMs() > untold.atMs)
        this.#parts.break('the staff are told about a delivery that a file reports after the refund', String(id))
  }
}

/** Whether the file answers the last offer. Only later offers have their number in the name. */
function isOfGeneration(name: string, { transactionId, generation }: Order): boolean {
  return name === `transfer_order-${transactionId}${generation > 1 ? `-${generation}` : ''}.json`
}
