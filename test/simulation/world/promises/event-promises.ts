import { basename, dirname } from 'node:path'
import { messageOf } from '../../../../agent/orders/message.ts'
import type { AttemptResult } from '../../../../agent/platform/attempt-result.ts'
import { type AgentState, openOrdersIn } from '../../agent/model-outside.ts'
import type { ModelHost } from '../../host.ts'
import type { ModelPlatform } from '../model-platform.ts'
import { eventOfFile, orderOfFile } from '../order-of-file.ts'
import type { SentRequest } from '../sent-request.ts'
import type { Break } from './judge.ts'
import { shownIn } from './shown-transaction.ts'
import { Since } from './since.ts'

interface EventPromisesParts {
  readonly break: Break
  readonly host: ModelHost
  readonly state: AgentState
  readonly spool: string
  readonly platform: ModelPlatform
  readonly nowMs: () => number
}

/** How long an event may be away: the platform is asked before it is shown. */
const awayMsMax = 60_000
/** How long the order in a file may be acted on. */
const actMsMax = 120_000
/** How long an event may be there that the game server has. */
const staysMsMax = 20_000

/**
 * What the game server must know is in `events/`, also after somebody removed it, and may be acted on. An event that it has
 * is not there any more, also if the file could not be removed at first.
 */
export class EventPromises {
  readonly #parts: EventPromisesParts
  /** The names of events that cannot be read. */
  readonly #away: Since
  /** The files of events that the game server has. */
  readonly #staying: Since

  /** Orders for which the platform does not wait, as it said last. */
  readonly #notAwaited = new Set<number>()
  /** The files of such orders. */
  readonly #left: Since

  constructor(parts: EventPromisesParts) {
    this.#parts = parts
    this.#away = new Since(parts.nowMs)
    this.#staying = new Since(parts.nowMs)
    this.#left = new Since(parts.nowMs)
  }

  /** A file of the spool has got another name, perhaps that of an event. */
  onRenamed(_from: string, to: string): void {
    const { host, spool } = this.#parts
    if (dirname(to) !== `${spool}/events`) return
    const { wallMs } = host.clock
    const isOrder = eventOfFile(basename(to)) === 'transfer_order'
    this.#notAwaited.delete(Number(orderOfFile(basename(to))))
    const { actUntil } = readEvent(host.disk.textOf(to)) ?? {}
    const untilMs = Date.parse(actUntil ?? '')
    const isInTime = untilMs > wallMs && untilMs <= wallMs + actMsMax
    const isRight = isOrder ? isInTime : actUntil === undefined
    if (!isRight)
      this.#parts.break('the file of an order, and no other one, says until when it is valid', `${to}: ${actUntil}`)
  }

  /** A request leaves for the platform. @returns Called when the attempt has ended. */
  onSent(request: SentRequest): ((result: AttemptResult) => void) | undefined {
    const { operation, transactionId: id } = request
    if (operation !== 'transaction.get' || id === undefined) return undefined
    return (result) => {
      const data = shownIn(request, result)
      if (data?.['deliveryStatus'] === 'AGUARDANDO_SERVIDOR') this.#notAwaited.delete(id)
      else if (data) this.#notAwaited.add(id)
    }
  }

  /** The file of an order that is disputed, or over, is not left there when nobody may act on it any more. */
  #checkNotAwaited(there: readonly string[]): void {
    const { host, spool } = this.#parts
    const isLeft = (name: string) => {
      const { actUntil = '' } = readEvent(host.disk.textOf(`${spool}/events/${name}`)) ?? {}
      return this.#notAwaited.has(Number(orderOfFile(name))) && Date.parse(actUntil) < host.clock.wallMs
    }
    const left = this.#left.look(there.filter(isLeft), staysMsMax)
    if (left !== undefined) this.#parts.break('the file of an order goes when the platform does not wait for it', left)
  }

  /** While every request arrives soon. */
  check(): void {
    const open = openOrdersIn(this.#parts.state)
    this.#checkFiles(new Set(open.map((order) => `${messageOf(order)?.name}.json`)))
    const due = open.filter(
      ({ phase, transactionId }) => phase === 'ended' || (phase === 'offered' && this.#isAwaited(transactionId)),
    )
    const names = due.flatMap((order) => messageOf(order)?.name ?? [])
    const away = this.#away.look(
      names.filter((name) => !this.#canBeRead(name)),
      awayMsMax,
    )
    if (away !== undefined) this.#parts.break('an event is shown until the game server has it', away)
  }

  #checkFiles(mayBeThere: ReadonlySet<string>): void {
    const { host, spool } = this.#parts
    const there = host.disk.namesIn(`${spool}/events`).filter((name) => eventOfFile(name) !== undefined)
    this.#checkNotAwaited(there)
    const stays = this.#staying.look(
      there.filter((name) => !mayBeThere.has(name)),
      staysMsMax,
    )
    if (stays !== undefined) this.#parts.break('an event goes when the game server has it', stays)
  }

  /** What was so in a wave is not counted. */
  reset(): void {
    this.#away.reset()
    this.#staying.reset()
    this.#left.reset()
  }

  /** Not while it is disputed. */
  #isAwaited(transactionId: number): boolean {
    const { transactions } = this.#parts.platform.composed.platform.tables
    return transactions.byId(transactionId)?.deliveryStatus === 'AGUARDANDO_SERVIDOR'
  }

  #canBeRead(name: string): boolean {
    const { disk, clock } = this.#parts.host
    const path = `${this.#parts.spool}/events/${name}.json`
    if (disk.find(path, 'open')?.kind !== 'file') return false
    const event = readEvent(disk.textOf(path))
    return event !== undefined && (event.actUntil === undefined || Date.parse(event.actUntil) > clock.wallMs)
  }
}

/** Undefined for a file of which a power cut left a part. */
function readEvent(text: string): { readonly actUntil?: string } | undefined {
  try {
    return JSON.parse(text) as { readonly actUntil?: string }
  } catch {
    return undefined
  }
}
