import type { DueAttempts, Mode } from '../clock/schedule.ts'
import type { WebhookDeliveryRow } from '../store/webhook-rows.ts'
import { type AttemptMade, recordAttempt } from './outcome.ts'
import { type AttemptParts, everydayPatience, makeAttempt, type Patience, travelPatience } from './webhook-attempt.ts'

/** Attempts under way at once towards one game server, so that a slow one delays no other. */
const webhookInFlightPerReceiverMax = 16

/** An attempt that is being made. */
interface UnderWay {
  readonly gameServerId: number
  readonly abort: AbortController
  /** Resolves at its end. */
  readonly ended: Promise<void>
}

/**
 * Sends what is due in the delivery queue. Each game server has its own slots, so that a receiver that hangs delays no
 * other. The due deliveries are always read from the database: an attempt that a crash cut off is due again.
 *
 * @param onStoreRefused Called when something could not be written, so that `run` is called again.
 * @see interface section 6; docs/decisions/0032
 */
export function webhookDispatcher(parts: AttemptParts, onStoreRefused: () => void): DueAttempts {
  const { platform, directory } = parts
  const { tables, clock, log } = platform
  /** By delivery. */
  const underWay = new Map<number, UnderWay>()
  /** Attempts that were made and could not be written, by delivery. They are not made again meanwhile. */
  const unrecorded = new Map<number, AttemptMade>()
  /** The store refused something since the last run: waiting comes before trying again. */
  let isRefused = false
  /** What attempts that start now get; null while none starts. */
  let patience: Patience | null = null
  const isIdle = () => underWay.size === 0

  function startDue(gameServerId: number): void {
    if (!patience || !directory.byId(gameServerId)?.webhookUrl) return
    const own = [...underWay.values()].filter((attempt) => attempt.gameServerId === gameServerId)
    const slots = webhookInFlightPerReceiverMax - own.length
    if (slots <= 0) return
    const due = tables.webhooks.due(gameServerId, clock.nowMs(), webhookInFlightPerReceiverMax)
    const startable = due.filter(({ id }) => !underWay.has(id) && !unrecorded.has(id))
    for (const delivery of startable.slice(0, slots)) {
      const abort = new AbortController()
      const ended = attempt(delivery, patience, abort.signal)
      underWay.set(delivery.id, { gameServerId, abort, ended })
    }
  }

  async function attempt(delivery: WebhookDeliveryRow, given: Patience, signal: AbortSignal): Promise<void> {
    // Begins in the next microtask: it must be among those under way before it can end.
    await null
    let isStored = false
    try {
      const made = await makeAttempt(delivery, given, signal, parts)
      isStored = typeof made === 'string' ? made === 'not-made' : record(made)
    } catch (error) {
      log.error({ err: error, deliveryId: delivery.id }, 'webhook attempt failed')
    }
    underWay.delete(delivery.id)
    if (isStored) return startDue(delivery.gameServerId)
    isRefused = true
    onStoreRefused()
  }

  function record(made: AttemptMade): boolean {
    const isRecorded = recordAttempt(platform, made)
    if (isRecorded) unrecorded.delete(made.deliveryId)
    else unrecorded.set(made.deliveryId, made)
    return isRecorded
  }

  /** Ends of what is under way while a due delivery waits for a slot. */
  function beforeIt(deliveryId: number): Promise<void>[] {
    const delivery = tables.webhooks.byId(deliveryId)
    const dueAt = delivery?.state === 'pending' && delivery.isHeld === 0 ? delivery.nextAttemptAt : null
    if (!delivery || dueAt === null || dueAt > clock.nowMs() || underWay.has(deliveryId)) return []
    const own = underWay.values().filter(({ gameServerId }) => gameServerId === delivery.gameServerId)
    return [...own.map(({ ended }) => ended)]
  }

  return {
    run(mode: Mode): boolean {
      patience = mode.kind === 'travelling' ? travelPatience : everydayPatience
      const wasRefused = isRefused
      isRefused = false
      if (wasRefused || ![...unrecorded.values()].every(record)) return false
      for (const { id } of directory.all()) startDue(id)
      return true
    },
    /** Deliveries of a game server without an address are among them and are due all the same. */
    nextMs: () => tables.webhooks.firstAfter(clock.nowMs()),
    pause() {
      patience = null
    },
    isIdle,
    async settle() {
      while (!isIdle()) await Promise.all([...underWay.values()].map(({ ended }) => ended))
    },
    async settleOne(deliveryId) {
      // All slots of its game server may be taken: then it begins when one of these has ended.
      for (let others = beforeIt(deliveryId); others.length > 0; others = beforeIt(deliveryId))
        await Promise.race(others)
      await underWay.get(deliveryId)?.ended
    },
    breakOff(failure) {
      for (const { abort } of underWay.values()) abort.abort(failure)
    },
  }
}
