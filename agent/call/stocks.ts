import type { CallReports } from './answer-call.ts'

/**
 * Notes the stock of each call for an item before it leaves an agent that has no orders, because others may have orders of the
 * item. It counts as new when it leaves, and not when its call arrived.
 *
 * @param note Throws if the call must not leave.
 */
export function notingStocks(note: (itemRef: string, quantity: number) => Promise<void>): CallReports {
  return {
    join: () => undefined,
    async begin({ operation, input }) {
      if (operation.reports === 'stock') await note(String(input['itemRef']), Number(input['observedQuantity']))
    },
    end: async () => undefined,
  }
}
