import { basename } from 'node:path'
import { ownFileOf } from '../../../../agent/spool/names.ts'
import type { Disk } from '../../disk/disk.ts'
import type { DiskFaults } from '../../disk/disk-faults.ts'
import type { ModelPlatform } from '../model-platform.ts'
import type { AgentWitness, SentRequest } from '../witnessed.ts'
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
  /** Of its claim, among all of its agent. */
  readonly number: number
  /** By the clock of its host, Unix ms. After a restart this is all that the agent knows. */
  readonly claimedMs: number
  /** The process that has sent it last, by its start, and what had happened to the disk by then. */
  begun?: { readonly bySince: number; readonly diskChanges: number; readonly isCertain: boolean }
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
    const { disk } = this.#parts
    const stock = stockIn(disk.textOf(to))
    if (stock) this.#claimed.set(own.id, { ...stock, number: ++this.#claims, claimedMs: disk.nowMs })
  }

  onRemoved(path: string): void {
    const own = ownFileOf(basename(path))
    if (own?.kind === 'claim') this.#claimed.delete(own.id)
  }

  onSent(request: SentRequest): undefined {
    const { platform, startedMs, diskFaults, lateStocks } = this.#parts
    const sent = stockOf(request, platform)
    if (sent?.by !== 'call') return
    const waiting = [...this.#claimed.values()].filter(
      (claim) => claim.itemRef === sent.itemRef && claim.begun?.bySince !== startedMs(),
    )
    const [stock, another] = waiting.filter(({ quantity }) => quantity === sent.quantity)
    if (!stock) return
    // It may be the stock of another file, or one that is sent again.
    if (!another) this.#checkOrder(stock)
    const isCertain = !another && lateStocks.isNewInCalls(sent)
    stock.begun = { bySince: startedMs(), diskChanges: diskFaults.changes, isCertain }
  }

  #checkOrder(stock: ClaimedStock): void {
    const { startedMs, diskFaults } = this.#parts
    // A file that could not be read is read later.
    const isSure = ({ begun }: ClaimedStock) =>
      begun?.isCertain && diskFaults.isHealthy && begun.diskChanges === diskFaults.changes
    const isLater = (other: ClaimedStock) =>
      other.itemRef === stock.itemRef &&
      other.quantity !== stock.quantity &&
      other.number > stock.number &&
      other.claimedMs > stock.claimedMs &&
      other.begun?.bySince === startedMs() &&
      isSure(other)
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
  try {
    const { action, itemRef, observedQuantity } = JSON.parse(text) as Record<string, unknown>
    const isStock = action === 'market.adjust-stock' && typeof observedQuantity === 'number'
    return isStock ? { itemRef: String(itemRef), quantity: observedQuantity } : undefined
  } catch {
    return undefined
  }
}
