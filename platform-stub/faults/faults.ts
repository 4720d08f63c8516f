import type { Clock } from '../clock/clock.ts'
import { Delays } from './delays.ts'
import { FaultQueue } from './fault-queue.ts'
import type { PartnerFault } from './partner-fault.ts'
import type { WebhookFault } from './webhook-fault.ts'

/** What was asked to go wrong on one side, and the requests or attempts that wait because of it. */
export class FaultsOf<Fault extends { readonly times: number }> extends FaultQueue<Fault> {
  readonly delays: Delays

  constructor(clock: Clock) {
    super()
    this.delays = new Delays(clock)
  }

  /** Removes every fault and ends the delays under way. */
  override clear(): void {
    super.clear()
    this.delays.breakOff()
  }
}

/** Everything that was asked to go wrong. In memory: a stub that is started again has no faults. */
export interface Faults {
  readonly partner: FaultsOf<PartnerFault>
  readonly webhook: FaultsOf<WebhookFault>
}
