import type { CallReports } from './answer-call.ts'
import type { PlatformCall } from './call.ts'

/**
 * The items that each game server registers. Where several game servers have one identity, an order goes to the one
 * through which its item was registered.
 */
export interface Listings {
  /**
   * A registration is about to leave, from here or from a game client, or it has ended. `refused`: it was the first one here,
   * and the platform has certainly not accepted it.
   *
   * @returns Whether nothing was noted before about a registration of the item by this game server.
   * @throws {StoreUnreachableError} It could not be noted.
   */
  note(itemRef: string, state: 'leaving' | 'accepted' | 'refused'): Promise<boolean>
}

/** Where there is one game server, every order is for it. */
export const oneGameServer: Listings = { note: async () => false }

/** Notes each registration before it leaves, because its first order may come before its answer. */
export function notingListings(listings: Listings, reports: CallReports): CallReports {
  /** The registrations under way that are the first of their item. Only these are taken back: an earlier one may be accepted. */
  const first = new WeakSet<PlatformCall>()
  const note = async ({ operation, input }: PlatformCall, state: 'leaving' | 'accepted' | 'refused') =>
    operation.reports === 'listing' && listings.note(String(input['itemRef']), state)
  return {
    async begin(call, lateUntilMs) {
      if (await note(call, 'leaving')) first.add(call)
      await reports.begin(call, lateUntilMs)
    },
    async end(call, answer, lateUntilMs) {
      if (answer.ok) await note(call, 'accepted')
      else if (!answer.uncertain && first.has(call)) await note(call, 'refused')
      await reports.end(call, answer, lateUntilMs)
    },
  }
}
