import type { Clock } from '../../../../agent/clock/clock.ts'
import type { ModelHost } from '../../host.ts'
import type { Network } from '../../network/network.ts'
import type { ModelProcess } from '../../process.ts'
import type { CallAccess } from '../call-door.ts'
import type { Day } from '../day.ts'
import type { RecentWebhooks } from '../recent-webhooks.ts'
import type { CallAgent, CallWitness, FileRecord } from './call-agent.ts'
import type { GameStore } from './game-store.ts'
import type { Quirks } from './quirks.ts'
import type { OrderDoor } from './take-orders.ts'
import type { Wants } from './wants.ts'

/** How a game server works with its agent. */
export interface GameWays {
  readonly callsBy: 'http' | 'files'
  readonly ordersBy: 'url' | 'files' | 'asking'
  readonly reportsBy: 'reply' | 'call'
  /** Whether its agent has a spool: always where files are used. */
  readonly hasSpool: boolean
}

/** What a game server is made of. */
export interface GameParts extends GameWays {
  readonly host: ModelHost
  readonly network: Network
  /** Where `/call` is: of each agent that it may ask. */
  readonly callAddresses: readonly string[]
  /** To these agents. */
  readonly callAccess: CallAccess
  readonly orderDoor: OrderDoor
  readonly spool: string
  readonly quirks: Quirks
  readonly wants: Wants
  readonly webhooks: RecentWebhooks
  readonly day: Day
  readonly record: FileRecord
  readonly witness: CallWitness
  /** A new itemRef. */
  readonly newItemRef: () => string
}

/** What the people of a running game server have. */
export interface DayParts extends GameParts {
  readonly process: ModelProcess
  readonly clock: Clock
  readonly store: GameStore
  readonly call: CallAgent
  /** Also for a game server that calls by files. */
  readonly callByHttp: CallAgent
  /** The same. No promise is checked by its answers. */
  readonly callUnheard: CallAgent
  /** Sends or writes a request that is wrong. @throws {NodeJS.ErrnoException} The disk fails. */
  readonly makeMistake: () => void
  /** When each stock report that is under way left, by item. */
  readonly reporting: Map<string, Set<number>>
  /**
   * Whether a reply to an order of an item is on its way to the agent. It says a stock too, so no other stock of the item is
   * reported meanwhile.
   *
   * @throws {NodeJS.ErrnoException} The disk fails.
   */
  readonly isReplying: (itemRef: string) => boolean
  /** How many items are on sale at most. */
  readonly itemsMax: number
}
