import { basename, dirname } from 'node:path'
import type { Disk } from '../../disk/disk.ts'
import { type ModelPlatform, seller } from '../model-platform.ts'
import { eventOfFile } from '../order-of-file.ts'
import type { Fields } from '../sent-request.ts'
import type { AgentWitness } from '../witnessed.ts'
import { fieldsIn } from './fields-in.ts'
import type { Break } from './judge.ts'

interface SoldOrderParts {
  readonly break: Break
  readonly platform: ModelPlatform
  readonly disk: Disk
  readonly spool: string
}

/** An order is handed over as it was bought. */
export class SoldOrderPromises implements Partial<AgentWitness> {
  readonly #parts: SoldOrderParts

  constructor(parts: SoldOrderParts) {
    this.#parts = parts
  }

  onHandedOver(_transactionId: number, _by: string, shown?: Fields): void {
    if (shown) this.#check(shown)
  }

  /** A file of the spool has got another name. */
  onRenamed(_from: string, to: string): void {
    const { disk, spool } = this.#parts
    if (dirname(to) === `${spool}/events` && eventOfFile(basename(to)) === 'transfer_order')
      this.#check(fieldsIn<Fields>(disk.textOf(to)))
  }

  #check(shown: Fields): void {
    const { platform } = this.#parts
    const { transactionId, itemRef, quantity, buyerCharacterRef, sellerCharacterRef, paidAt } = shown
    const id = Number(transactionId)
    const bought = platform.composed.platform.tables.transactions.byId(id)
    const isAsBought =
      itemRef === platform.itemOf(id) &&
      quantity === bought?.quantity &&
      buyerCharacterRef === bought?.buyerCharacterRef &&
      sellerCharacterRef === seller &&
      Date.parse(String(paidAt)) === bought?.paidAt
    if (!isAsBought) this.#parts.break('an order is handed over as it was bought', JSON.stringify(shown))
  }
}
