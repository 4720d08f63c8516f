import { pino } from 'pino'
import type { Clock } from '../../../../agent/clock/clock.ts'
import type { Log } from '../../../../agent/log/log.ts'
import type { Handover, OnReply } from '../../../../agent/orders/offers.ts'
import type { OrderLedger } from '../../../../agent/orders/order-ledger.ts'
import { Orders, type OrdersPlatform } from '../../../../agent/orders/orders.ts'
import { KillableLedger } from './killable-ledger.ts'

/** One process of the agent, as far as orders are concerned. */
export interface Life {
  readonly ledger: KillableLedger
  readonly orders: Orders
  /** As kill -9: nothing of it acts any more. */
  end(): void
}

export interface LifeOptions {
  readonly ledger: OrderLedger
  readonly clock: Clock
  readonly handover: (life: { clock: Clock; log: Log; onReply: OnReply }) => Handover | undefined
  readonly platform: OrdersPlatform
  /** Called with each log line. */
  readonly onLine: (line: string) => void
}

export function startLife(options: LifeOptions): Life {
  const ledger = new KillableLedger(options.ledger)
  const { clock, cancelTimers } = clockOfLife(options.clock)
  const log = pino({ level: 'trace' }, { write: options.onLine })
  const handover = (onReply: OnReply) => options.handover({ clock, log, onReply })
  const orders = new Orders({ ledger, clock, log, handover, onObserved: async () => undefined })
  void orders.start(options.platform)
  return {
    ledger,
    orders,
    end() {
      ledger.isDead = true
      cancelTimers()
    },
  }
}

/** A clock whose timers end with the process. */
function clockOfLife(clock: Clock): { clock: Clock; cancelTimers: () => void } {
  const cancels = new Set<() => void>()
  const after = (delayMs: number, callback: () => void) => {
    const cancel = clock.after(delayMs, callback)
    cancels.add(cancel)
    return cancel
  }
  const own: Clock = {
    wallMs: () => clock.wallMs(),
    monotonicMs: () => clock.monotonicMs(),
    after,
    sleep: (delayMs) =>
      new Promise((resolve) => {
        after(delayMs, resolve)
      }),
  }
  return {
    clock: own,
    cancelTimers: () => {
      for (const cancel of cancels) cancel()
    },
  }
}
