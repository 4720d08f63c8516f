import type { CallReports } from './answer-call.ts'
import type { PlatformCall } from './call.ts'

/**
 * The items that each game server registers. Where several game servers have one identity, an order goes to the one
 * through which its item was registered.
 */
export interface Listings {
  /**
   * A registration is about to leave, from here or from a game client.
   *
   * @returns Whether nothing was noted before about a registration of the item by this game server.
   * @throws {StoreUnreachableError} It could not be noted. The registration must not leave.
   */
  begin(itemRef: string): Promise<boolean>
  /**
   * A registration has ended.
   *
   * @param result `refused`: it was the first one here, and the platform has certainly not accepted it.
   * @throws {StoreUnreachableError} It could not be noted now. It is noted later.
   */
  end(itemRef: string, result: 'accepted' | 'refused'): Promise<void>
}

/** Where there is one game server, every order is for it. */
export const oneGameServer: Listings = { begin: async () => false, end: async () => undefined }

/** Notes each registration before it leaves, because its first order may come before its answer. */
export function notingListings(listings: Listings, reports: CallReports): CallReports {
  /** Registrations under way that are the first of their item. Only these are taken back: an earlier one may be accepted. */
  const first = new WeakSet<PlatformCall>()
  const itemOf = ({ operation, input }: PlatformCall) =>
    operation.reports === 'listing' ? String(input['itemRef']) : undefined
  return {
    join: (call, mark) => reports.join(call, mark),
    async begin(call, lateUntilMs) {
      const itemRef = itemOf(call)
      if (itemRef !== undefined && (await listings.begin(itemRef))) first.add(call)
      await reports.begin(call, lateUntilMs)
    },
    async end(call, answer, lateUntilMs) {
      const itemRef = itemOf(call)
      if (itemRef !== undefined && answer.ok) await listings.end(itemRef, 'accepted')
      if (itemRef !== undefined && first.has(call) && !answer.ok && !answer.uncertain)
        await listings.end(itemRef, 'refused')
      await reports.end(call, answer, lateUntilMs)
    },
  }
}
