import type { Log } from '../log/log.ts'

/**
 * Warns about paid orders that are in the ledger while the webhook bridge is off: no game server would get them.
 *
 * @param countOpenOrders May reject.
 */
export async function warnOfUnattendedOrders(
  countOpenOrders: () => Promise<number>,
  log: Pick<Log, 'warn'>,
): Promise<void> {
  const cure = 'set SERVICE_WEBHOOK_PORT again, with the kid and key of the platform: then they are offered again'
  try {
    const openOrders = await countOpenOrders()
    if (openOrders > 0) log.warn({ openOrders, cure }, 'the webhook bridge is off while orders in the ledger are open')
  } catch (error) {
    // Without the bridge nothing else needs the ledger, so the agent starts all the same.
    log.warn({ cause: (error as Error).message }, 'the webhook bridge is off, and its ledger cannot be read')
  }
}
