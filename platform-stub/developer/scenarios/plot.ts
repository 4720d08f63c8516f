import type { TransactionTrigger } from '../../../contract/transaction.ts'
import type { Settings } from '../../marketplace/settings.ts'
import type { Scenario, ScenarioGameServer, ScenarioPhase, ScenarioTransaction } from './scenario.ts'

type ScenarioListing = ScenarioGameServer['listings'][number]
type ScenarioCharacter = ScenarioGameServer['characters'][string]

/** What happens to a scenario's transaction, in one moment, until it is in its described phase. */
export interface PlotPurchase {
  readonly itemRef: string
  readonly quantity: number
  readonly buyerCharacterRef: string
  readonly triggers: readonly TransactionTrigger[]
  readonly phase: ScenarioPhase
}

type SceneEvent =
  | { readonly kind: 'character'; readonly characterRef: string; readonly state: ScenarioCharacter }
  | { readonly kind: 'register'; readonly listing: ScenarioListing }
  | { readonly kind: 'purchase'; readonly purchase: PlotPurchase }
  | { readonly kind: 'observe'; readonly itemRef: string; readonly quantity: number }
  | { readonly kind: 'withdraw'; readonly itemRef: string }

/** Something that happens at a moment (Unix ms) to one game server of the scenario, by its place in the list. */
export interface Scene {
  readonly atMs: number
  readonly gameServer: number
  /** The path of the field that describes it, for error messages. */
  readonly place: readonly PropertyKey[]
  readonly event: SceneEvent
}

/** The order of scenes at one moment: what later ones need comes first, and what would prevent them last. */
const order: readonly SceneEvent['kind'][] = ['register', 'purchase', 'observe', 'withdraw', 'character']

/** Every seller may sell while the scenario is made. A seller that is described gets exactly that state at its end. */
const ableSeller: ScenarioCharacter = { linked: true, recipientApproved: true }

/** What holds of a character where a description says nothing. */
const unknownCharacter: ScenarioCharacter = {
  linked: false,
  banned: false,
  sellingBlocked: false,
  recipientApproved: false,
}

/** What leads to each phase after the purchase; time does the rest. */
const triggersTo: Readonly<Record<ScenarioPhase, readonly TransactionTrigger[]>> = {
  'awaiting-payment': [],
  'awaiting-server': ['pay'],
  delivered: ['pay', 'deliver'],
  completed: ['pay', 'deliver'],
  disputed: ['pay', 'dispute'],
  'refunded-after-failure': ['pay', 'fail-out-of-stock'],
  'refunded-after-dispute': ['pay', 'dispute', 'refund'],
  expired: [],
  cancelled: ['cancel'],
}

/**
 * Makes of a state what happened before it, in the order in which it happened. Pure.
 *
 * @param nowMs The moment of the described state.
 */
export function plotOf({ gameServers }: Scenario, settings: Settings, nowMs: number): Scene[] {
  const later = gameServers.flatMap((server, at) => [
    ...purchasesOf(server, at, settings, nowMs),
    ...observationsOf(server, at, nowMs),
  ])
  const beganMs = later.reduce((first, { atMs }) => Math.min(first, atMs), nowMs)
  const scenes = [
    ...gameServers.flatMap((server, at) => listingsOf(server, at, beganMs)),
    ...later,
    ...gameServers.flatMap((server, at) => endingsOf(server, at, nowMs)),
  ].sort((a, b) => a.atMs - b.atMs || order.indexOf(a.event.kind) - order.indexOf(b.event.kind))
  return [...gameServers.flatMap((server, at) => sellersOf(server, at, beganMs)), ...scenes]
}

function sellersOf({ listings }: ScenarioGameServer, gameServer: number, atMs: number): Scene[] {
  return listings.map(({ sellerCharacterRef }, n) => ({
    atMs,
    gameServer,
    place: ['gameServers', gameServer, 'listings', n, 'sellerCharacterRef'],
    event: { kind: 'character', characterRef: sellerCharacterRef, state: ableSeller },
  }))
}

function listingsOf({ listings }: ScenarioGameServer, gameServer: number, atMs: number): Scene[] {
  return listings.map((listing, n) => ({
    atMs,
    gameServer,
    place: ['gameServers', gameServer, 'listings', n],
    event: { kind: 'register', listing },
  }))
}

function purchasesOf(
  { transactions }: ScenarioGameServer,
  gameServer: number,
  settings: Settings,
  nowMs: number,
): Scene[] {
  return transactions.map((transaction, n) => {
    const { itemRef, quantity, buyerCharacterRef, phase, secondsAgo } = transaction
    return {
      atMs: nowMs - secondsAgo * 1_000 - leadMs(phase, settings),
      gameServer,
      place: ['gameServers', gameServer, 'transactions', n],
      event: {
        kind: 'purchase',
        purchase: { itemRef, quantity, buyerCharacterRef, phase, triggers: triggersOf(transaction) },
      },
    }
  })
}

/** How long before it came into its phase a transaction was made: time takes these two there. */
function leadMs(phase: ScenarioPhase, { paymentExpiryMs, completionDelayMs }: Settings): number {
  if (phase === 'expired') return paymentExpiryMs
  return phase === 'completed' ? completionDelayMs : 0
}

function triggersOf(transaction: ScenarioTransaction): readonly TransactionTrigger[] {
  const triggers = triggersTo[transaction.phase]
  const wasDelivered = 'delivered' in transaction && transaction.delivered
  return wasDelivered ? triggers.flatMap((trigger) => (trigger === 'pay' ? [trigger, 'deliver'] : [trigger])) : triggers
}

function observationsOf({ listings }: ScenarioGameServer, gameServer: number, nowMs: number): Scene[] {
  return listings.flatMap(({ itemRef, observed }, n) =>
    observed
      ? {
          atMs: nowMs - observed.secondsAgo * 1_000,
          gameServer,
          place: ['gameServers', gameServer, 'listings', n, 'observed'],
          event: { kind: 'observe' as const, itemRef, quantity: observed.quantity },
        }
      : [],
  )
}

/** What is true of characters and listings in the end. */
function endingsOf({ characters, listings }: ScenarioGameServer, gameServer: number, atMs: number): Scene[] {
  const withdrawn = listings.flatMap(({ itemRef, withdrawn }, n): Scene[] =>
    withdrawn
      ? [
          {
            atMs,
            gameServer,
            place: ['gameServers', gameServer, 'listings', n, 'withdrawn'],
            event: { kind: 'withdraw', itemRef },
          },
        ]
      : [],
  )
  const described = Object.entries(characters).map(
    ([characterRef, state]): Scene => ({
      atMs,
      gameServer,
      place: ['gameServers', gameServer, 'characters', characterRef],
      event: {
        kind: 'character',
        characterRef,
        state: { ...unknownCharacter, account: state.linked ?? false, ...state },
      },
    }),
  )
  return [...withdrawn, ...described]
}
