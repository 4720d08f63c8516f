import type { HostClock } from '../../host-clock.ts'
import type { Network } from '../../network/network.ts'

/**
 * How wrong an agent may be about the platform's clock, ms: it heard the platform in an attempt of up to 10 s, whose `Date`
 * is up to 1 s old and has whole seconds, and a clock drifts.
 */
export const platformTimeErrorMsMax = 14_000

/** What may make an agent's idea of the platform's clock wrong. */
interface Misleading {
  /** Of the agent's host. */
  readonly clock: Pick<HostClock, 'lastSetMs'>
  readonly network: Pick<Network, 'wasDateWrong'>
}

/** Whether nothing has made an agent's idea of the platform's clock wrong. */
export function isTimeKnown({ clock, network }: Misleading): boolean {
  return clock.lastSetMs === undefined && !network.wasDateWrong
}
