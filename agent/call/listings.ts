import type { CallReports } from './answer-call.ts'
import type { PlatformCall } from './call.ts'

/**
 * The items that each game server registers. Where several game servers have one identity, an order goes to the one
 * through which its item was registered.
 */
export interface Listings {
  /**
   * A registration is about to leave, from here or from a game client, or the platform accepted it.
   *
   * @throws {StoreUnreachableError} It could not be noted.
   */
  note(itemRef: string, state: 'leaving' | 'accepted'): Promise<void>
}

/** Where there is one game server, every order is for it. */
export const oneGameServer: Listings = { note: async () => undefined }

/** Notes each registration before it leaves, because its first order may come before its answer. */
export function notingListings(listings: Listings, reports: CallReports): CallReports {
  const note = async ({ operation, input }: PlatformCall, state: 'leaving' | 'accepted') => {
    if (operation.reports === 'listing') await listings.note(String(input['itemRef']), state)
  }
  return {
    async begin(call, lateUntilMs) {
      await note(call, 'leaving')
      await reports.begin(call, lateUntilMs)
    },
    async end(call, answer, lateUntilMs) {
      if (answer.ok) await note(call, 'accepted')
      await reports.end(call, answer, lateUntilMs)
    },
  }
}
