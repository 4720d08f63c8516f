import { basename } from 'node:path'
import { ownFileOf } from '../../../../agent/spool/names.ts'
import type { Disk } from '../../disk/disk.ts'
import type { DiskFaults } from '../../disk/disk-faults.ts'
import type { ModelPlatform } from '../model-platform.ts'
import type { SentRequest } from '../sent-request.ts'
import type { AgentWitness } from '../witnessed.ts'
import { fieldsIn } from './fields-in.ts'
import type { Break } from './judge.ts'
import type { LateStocks } from './late-stocks.ts'
import { stockOf } from './stock-of.ts'

interface ClaimOrderParts {
  readonly break: Break
  readonly disk: Disk
  readonly diskFaults: Pick<DiskFaults, 'changes' | 'isHealthy'>
  readonly lateStocks: Pick<LateStocks, 'isNewInCalls'>
  readonly platform: ModelPlatform
  /** When the process that runs now was started. */
  readonly startedMs: () => number
}

/** A request file with a stock that the agent has claimed. */
interface ClaimedStock {
  readonly itemRef: string
  readonly quantity: number
  /** Which claim of its agent it was, from 1. */
  readonly claimNumber: number
  readonly path: string
  /** By the clock of its host, Unix ms. After a restart this is all that the agent knows. */
  readonly claimedMs: number
  /** How often a fault of the disk had begun or ended when it was claimed. Infinity: one was under way. */
  readonly diskChanges: number
  /** The last process that may have sent it, and whether it was certainly this file that was sent. */
  sent?: { readonly processStartedMs: number; readonly isCertain: boolean }
}

/** Stocks in files reach the platform in the order in which their files were claimed, also after a restart. */
export class ClaimOrderPromises implements Partial<AgentWitness> {
  readonly #parts: ClaimOrderParts
  /** By id. */
  readonly #claimed = new Map<string, ClaimedStock>()
  #claims = 0

  constructor(parts: ClaimOrderParts) {
    this.#parts = parts
  }

  onRenamed(from: string, to: string): void {
    this.onRemoved(from)
    const own = ownFileOf(basename(to))
    if (own?.kind === 'done') this.#claimed.delete(own.id)
    if (own?.kind !== 'claim') return
    const { disk, diskFaults } = this.#parts
    const stock = stockIn(disk.textOf(to))
    const diskChanges = diskFaults.isHealthy ? diskFaults.changes : Number.POSITIVE_INFINITY
    if (stock)
      this.#claimed.set(own.id, {
        ...stock,
        ...{ claimNumber: ++this.#claims, path: to, claimedMs: disk.nowMs, diskChanges },
      })
  }

  onRemoved(path: string): void {
    const own = ownFileOf(basename(path))
    if (own?.kind === 'claim') this.#claimed.delete(own.id)
  }

  onSent(request: SentRequest): undefined {
    const { disk, platform, startedMs, lateStocks } = this.#parts
    const sent = stockOf(request, platform)
    if (sent?.by !== 'call') return
    // A stock that was sent again may have been taken for one of a file. That file is still to be sent.
    const wasSent = (before: ClaimedStock['sent']) => before?.isCertain && before.processStartedMs === startedMs()
    const waiting = [...this.#claimed.values()].filter(
      ({ itemRef, path, sent: before }) =>
        itemRef === sent.itemRef && !wasSent(before) && disk.find(path, 'stat') !== undefined,
    )
    const [stock, another] = waiting.filter(({ quantity }) => quantity === sent.quantity)
    if (!stock) return
    // If several claims have this stock, nobody knows which one was sent.
    if (!another) this.#checkOrder(stock)
    // It may also be a stock that is sent again.
    const isCertain = !another && lateStocks.isNewInCalls(sent)
    stock.sent = { processStartedMs: startedMs(), isCertain }
  }

  #checkOrder(stock: ClaimedStock): void {
    const { startedMs, diskFaults } = this.#parts
    // A fault may delay the read of a claim.
    if (stock.diskChanges !== diskFaults.changes) return
    const isLater = (other: ClaimedStock) =>
      other.itemRef === stock.itemRef &&
      other.quantity !== stock.quantity &&
      other.claimNumber > stock.claimNumber &&
      other.claimedMs > stock.claimedMs &&
      other.sent?.processStartedMs === startedMs() &&
      other.sent.isCertain
    const overtook = this.#claimed.values().find(isLater)
    if (overtook)
      this.#parts.break(
        'files of one item are called in the order in which they were claimed',
        `${stock.itemRef}: ${overtook.quantity} before ${stock.quantity}`,
      )
  }
}

/** The stock in the text of a request file. Undefined for every other text. */
function stockIn(text: string): Pick<ClaimedStock, 'itemRef' | 'quantity'> | undefined {
  const { action, itemRef, observedQuantity } = fieldsIn<Record<string, unknown>>(text)
  const isStock = action === 'market.adjust-stock' && typeof observedQuantity === 'number'
  return isStock ? { itemRef: String(itemRef), quantity: observedQuantity } : undefined
}
