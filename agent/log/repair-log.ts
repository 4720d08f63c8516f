import type { RepairReport, RepairsOptions } from '../call/repairs.ts'
import type { Log } from './log.ts'

/** One line for each observation that was sent again. It is not a call of the game server and is not counted as one. */
export function repairLog(log: Log): Pick<RepairsOptions, 'onRepair' | 'onError'> {
  return {
    onRepair(repair: RepairReport) {
      // While the platform is away there is one line about that, and not one for each item and attempt.
      const level = repair.outcome === 'postponed' ? 'debug' : 'info'
      log[level](repair, 'observation sent again: an older one of its item may have arrived late')
    },
    onError: (error) => log.error({ err: error }, 'an observation was not sent again: a bug of the agent'),
  }
}
