import type { GameCall } from '../game/call-agent.ts'
import type { ModelPlatform } from '../model-platform.ts'

type Input = Readonly<Record<string, unknown>>

/** Whether the platform has done what a call asks for, at any time: by operation. */
const hasActed: Readonly<
  Record<string, (input: Input, platform: ModelPlatform, gameServerId: number | undefined) => boolean>
> = {
  'market.register': ({ itemRef }, platform, id) => listingOf(platform, id, itemRef) !== undefined,
  'market.adjust-stock': ({ itemRef, observedQuantity }, { acceptedStocks }) =>
    acceptedStocks.has(`${itemRef} ${observedQuantity}`),
  'market.withdraw': ({ itemRef }, platform, id) => listingOf(platform, id, itemRef)?.status === 'WITHDRAWN',
  'transaction.delivery': ({ transactionId }, platform) => movesOf(platform, transactionId).includes('deliver'),
  'transaction.delivery-failure': ({ transactionId, reason }, platform) =>
    movesOf(platform, transactionId).includes(reason === 'TEMPORARY' ? 'fail-temporary' : 'fail-out-of-stock'),
}

/** Whether the platform shows what a call has done. A stock may also be one that the agent has sent again. */
export function isProvable({ operation }: Pick<GameCall, 'operation'>): boolean {
  return Object.hasOwn(hasActed, operation) && operation !== 'market.adjust-stock'
}

/** Whether a call that is told `ok` has acted. True for an operation that changes nothing. */
export function actedAsTold(
  { operation, input }: GameCall,
  platform: ModelPlatform,
  gameServerId: number | undefined,
): boolean {
  return hasActed[operation]?.(input, platform, gameServerId) ?? true
}

function listingOf({ composed }: ModelPlatform, gameServerId = 0, itemRef: unknown) {
  return composed.platform.tables.listings.byItemRef(gameServerId, String(itemRef))
}

function movesOf({ composed }: ModelPlatform, transactionId: unknown): readonly string[] {
  return composed.platform.tables.transactions.historyOf(Number(transactionId)).map(({ trigger }) => trigger)
}
