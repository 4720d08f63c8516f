import { messageOf } from '../../../../agent/orders/message.ts'
import { type AgentState, openOrdersIn } from '../../agent/model-outside.ts'
import type { ModelHost } from '../../host.ts'
import type { ModelPlatform } from '../model-platform.ts'
import type { Break } from './judge.ts'
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

/** What the game server must know is in `events/`, also after somebody removed it, and may be acted on. */
export class EventPromises {
  readonly #parts: EventPromisesParts
  /** The names of events that cannot be read. */
  readonly #away: Since

  constructor(parts: EventPromisesParts) {
    this.#parts = parts
    this.#away = new Since(parts.nowMs)
  }

  /** While every request arrives soon. */
  check(): void {
    const due = openOrdersIn(this.#parts.state).filter(
      ({ phase, transactionId }) => phase === 'ended' || (phase === 'offered' && this.#isAwaited(transactionId)),
    )
    const names = due.flatMap((order) => messageOf(order)?.name ?? [])
    const away = this.#away.look(
      names.filter((name) => !this.#canBeRead(name)),
      awayMsMax,
    )
    if (away !== undefined) this.#parts.break('an event is shown until the game server has it', away)
  }

  /** What was away in a wave is not counted. */
  reset(): void {
    this.#away.reset()
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
