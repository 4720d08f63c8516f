import type { Order } from '../../../../agent/orders/order.ts'
import type { Status } from '../../../../agent/status/status.ts'
import type { AgentWitness } from '../witnessed.ts'
import { isAboutPlatform } from './contact-promises.ts'
import type { Break } from './judge.ts'
import { Since } from './since.ts'

interface StatusPromisesParts {
  readonly break: Break
  readonly name: string
  /** As the operator saw it last; undefined if no process of the agent runs now, or nobody has seen it yet. */
  readonly status: () => Pick<Status, 'calls' | 'orders' | 'spool' | 'reasons'> | undefined
  /** The orders of its ledger that are not over; undefined where other agents write them too. */
  readonly findOpenOrders: () => readonly Pick<Order, 'phase' | 'receivedAtMs'>[] | undefined
  /** By the clock of its host. */
  readonly wallMs: () => number
  readonly nowMs: () => number
}

/** Longer than a call. Nobody asks without a break while it is calm. */
const underWayMsMax = 50_000
/** The agent remembers a file that it could not claim for half a minute, and the operator looks again after that. */
const untrueMsMax = 40_000
/** The operator looks every 5 s. */
const ageErrorSMax = 10

/** What is over is soon gone from the status: calls, orders and reasons. No part of it contradicts another one. */
export class StatusPromises implements Partial<AgentWitness> {
  readonly #parts: StatusPromisesParts
  readonly #underWay: Since
  readonly #untrue: Since

  constructor(parts: StatusPromisesParts) {
    this.#parts = parts
    this.#underWay = new Since(parts.nowMs)
    this.#untrue = new Since(parts.nowMs)
  }

  onStatusGiven({ ready, reasons, orders, spool }: Status): void {
    const isContradictory =
      ready !== (reasons.length === 0) ||
      (orders && (orders.open === 0) !== (orders.oldestAgeS === null)) ||
      (orders && orders.waiting > orders.open) ||
      (spool && spool.inFlight > 0 && spool.oldestAgeS === null)
    if (isContradictory)
      this.#parts.break('the status does not contradict itself', JSON.stringify({ ready, reasons, orders, spool }))
  }

  /** While nothing is broken. */
  check(): void {
    const underWay = this.#underWay.look(this.#findUnderWay(), underWayMsMax)
    const untrue = this.#untrue.look(this.#findUntrue(), untrueMsMax)
    const { name } = this.#parts
    if (underWay !== undefined) this.#parts.break('what the status shows under way ends', `${name}: ${underWay}`)
    if (untrue !== undefined) this.#parts.break('the status shows what is true', `${name}: ${untrue}`)
  }

  /** Begins again: in a wave there is always something under way, or broken. */
  reset(): void {
    this.#underWay.reset()
    this.#untrue.reset()
  }

  *#findUnderWay(): Generator<string> {
    const { calls, spool } = this.#parts.status() ?? {}
    if (calls && calls.inFlight > 0) yield 'calls in flight'
    if (calls && calls.waiting > 0) yield 'calls that wait'
    if (spool && spool.backlog > 0) yield 'request files'
  }

  *#findUntrue(): Generator<string> {
    const { status, findOpenOrders } = this.#parts
    const { orders, spool, reasons = [] } = status() ?? {}
    if (orders?.open === 0 && orders.oldestAgeS !== null) yield 'the age of no order'
    if (spool?.backlog === 0 && spool.inFlight === 0 && spool.oldestAgeS !== null) yield 'the age of no request file'
    const open = findOpenOrders()
    const waiting = open?.filter(({ phase }) => phase === 'offered').length
    const oldestMs = Math.min(...(open ?? []).map(({ receivedAtMs }) => receivedAtMs))
    const ageS = Math.max(0, this.#parts.wallMs() - oldestMs) / 1_000
    if (typeof orders?.oldestAgeS === 'number' && open?.length && Math.abs(orders.oldestAgeS - ageS) > ageErrorSMax)
      yield 'the age of the oldest order'
    if (orders && open && orders.open !== open.length) yield `${orders.open} of ${open.length} orders`
    if (orders && open && orders.waiting !== waiting) yield `${orders.waiting} of ${waiting} orders wait`
    // Only the next call shows that the platform answers again.
    yield* reasons.filter((reason) => !isAboutPlatform(reason))
  }
}
