import type { TransactionTrigger } from '../../../contract/transaction.ts'
import { setCharacter } from '../../marketplace/characters/accounts.ts'
import { adjustStock, registerListing, withdrawListing } from '../../marketplace/listings/listings.ts'
import type { Platform } from '../../marketplace/platform.ts'
import { orThrow } from '../../marketplace/refusal.ts'
import type { Settings } from '../../marketplace/settings.ts'
import { createTransaction, moveByHand } from '../../marketplace/transactions/purchase.ts'
import { characterOf } from '../../store/character-rows.ts'
import type { Scenario, ScenarioGameServer, ScenarioPhase, ScenarioTransaction } from './scenario.ts'

/** Something that happens at one moment (Unix ms) to one game server of a scenario. */
export interface Step {
  readonly atMs: number
  /** The position of the game server in the scenario. */
  readonly gameServer: number
  /** The path of the field that describes the step, for error messages. */
  readonly path: readonly PropertyKey[]
  /** Does it, inside a database transaction. @returns A refusal, or the id of a purchase. @throws {Refusal} */
  readonly act: Act
  /** The phase that a purchase must have in the end. */
  readonly phase: ScenarioPhase | null
}

type Act = (platform: Platform, gameServerId: number) => unknown

/** The moves from the purchase to each phase; time does the rest. */
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

/** Before everything else. */
const beginning = Number.NEGATIVE_INFINITY

/**
 * The steps to a state, in their order.
 *
 * @param nowMs The moment of the described state.
 */
export function timelineOf({ gameServers }: Scenario, settings: Settings, nowMs: number): Step[] {
  const steps = gameServers.flatMap((server, at) => stepsOf(server, at, settings, nowMs))
  const beganMs = Math.min(nowMs, ...steps.map(({ atMs }) => atMs).filter(Number.isFinite))
  return steps
    .map((step) => ({ ...step, atMs: Math.max(step.atMs, beganMs) }))
    .sort((a, b) => a.atMs - b.atMs || a.rank - b.rank)
}

/** At one moment, what later steps need comes first, and what would prevent them comes last: that is the rank. */
function stepsOf(
  { listings, transactions, characters }: ScenarioGameServer,
  gameServer: number,
  settings: Settings,
  nowMs: number,
): (Step & { readonly rank: number })[] {
  const step = (atMs: number, path: readonly PropertyKey[], act: Act, phase: ScenarioPhase | null = null): Step => ({
    atMs,
    gameServer,
    path: ['gameServers', gameServer, ...path],
    act,
    phase,
  })
  const ranks: readonly Step[][] = [
    // Every seller may sell while the scenario is made. A seller that is described gets exactly that state at the end.
    listings.map(({ sellerCharacterRef }, n) =>
      step(beginning, ['listings', n, 'sellerCharacterRef'], (platform, id) =>
        setCharacter(platform, id, sellerCharacterRef, { linked: true, recipientApproved: true }),
      ),
    ),
    listings.map(({ observed: _, withdrawn: __, ...listing }, n) =>
      step(beginning, ['listings', n], (platform, id) => registerListing(platform, id, listing)),
    ),
    transactions.map((transaction, n) => {
      const { phase, secondsAgo } = transaction
      const atMs = nowMs - secondsAgo * 1_000 - leadMs(phase, settings)
      return step(atMs, ['transactions', n], (platform, id) => purchase(platform, id, transaction), phase)
    }),
    listings.flatMap(({ itemRef, observed }, n) => {
      if (!observed) return []
      const input = { itemRef, observedQuantity: observed.quantity }
      const atMs = nowMs - observed.secondsAgo * 1_000
      return step(atMs, ['listings', n, 'observed'], (platform, id) => adjustStock(platform, id, input))
    }),
    listings.flatMap(({ itemRef, withdrawn }, n) => {
      if (!withdrawn) return []
      return step(nowMs, ['listings', n, 'withdrawn'], (platform, id) => withdrawListing(platform, id, { itemRef }))
    }),
    Object.entries(characters).map(([ref, state]) => {
      const whole = { ...characterOf({}), account: state.linked ?? false, ...state }
      return step(nowMs, ['characters', ref], (platform, id) => setCharacter(platform, id, ref, whole))
    }),
  ]
  return ranks.flatMap((steps, rank) => steps.map((each) => ({ ...each, rank })))
}

/**
 * How long before it came into its phase a transaction was made. Only time brings a transaction into these two phases.
 */
function leadMs(phase: ScenarioPhase, { paymentExpiryMs, completionDelayMs }: Settings): number {
  if (phase === 'expired') return paymentExpiryMs
  return phase === 'completed' ? completionDelayMs : 0
}

function purchase(platform: Platform, gameServerId: number, transaction: ScenarioTransaction): number {
  const { transactionId } = orThrow(createTransaction(platform, gameServerId, transaction))
  for (const trigger of triggersOf(transaction)) orThrow(moveByHand(platform, transactionId, trigger))
  return transactionId
}

function triggersOf(transaction: ScenarioTransaction): readonly TransactionTrigger[] {
  const triggers = triggersTo[transaction.phase]
  const wasDelivered = 'delivered' in transaction && transaction.delivered
  return wasDelivered ? triggers.flatMap((trigger) => (trigger === 'pay' ? [trigger, 'deliver'] : [trigger])) : triggers
}
