import type { Clock } from '../clock/clock.ts'
import { Delays } from './delays.ts'
import { FaultQueue } from './fault-queue.ts'
import type { PartnerFault } from './partner-fault.ts'
import type { WebhookFault } from './webhook-fault.ts'

/** What was asked to go wrong on one side, and who waits because of it. */
export interface FaultsOf<Fault extends { readonly times: number }> {
  readonly queue: FaultQueue<Fault>
  readonly delays: Delays
}

/** Everything that was asked to go wrong. In memory: a stub that is started again is a sound one. */
export interface Faults {
  readonly partner: FaultsOf<PartnerFault>
  readonly webhook: FaultsOf<WebhookFault>
}

/** Nothing is set to go wrong yet. @param clock Whose real time delays last. */
export function makeFaults(clock: Clock): Faults {
  return {
    partner: { queue: new FaultQueue(), delays: new Delays(clock) },
    webhook: { queue: new FaultQueue(), delays: new Delays(clock) },
  }
}

/** Removes every fault and ends the delays under way. */
export function clearFaults({ queue, delays }: FaultsOf<{ readonly times: number }>): void {
  queue.clear()
  delays.breakOff()
}
