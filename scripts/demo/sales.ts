/** A sale, as it was seen from outside. */
export interface Sale {
  readonly transactionId: number
  readonly itemRef: string
  /** The world through which its item was registered. */
  readonly world: string
  /** The host that the webhook of its order reached. */
  readonly webhookAt: string
  /** Each time that an agent gave its order to the game server of a world. */
  readonly orders: readonly { readonly by: string; readonly world: string }[]
  /** The world whose game gave the item, once for each time. */
  readonly givenIn: readonly string[]
  /** How the platform says that it ended. */
  readonly outcome: string | undefined
}

/** What is wrong with a sale; undefined if its item was delivered once, in its own world. */
export function problemOf({ transactionId, world, orders, givenIn, outcome }: Sale): string | undefined {
  const sale = `sale ${transactionId} of ${world}`
  const stranger = orders.find((order) => order.world !== world)
  if (stranger) return `${sale}: ${stranger.world} got its order`
  if (givenIn.length !== 1) return `${sale}: its item was given ${givenIn.length} times`
  if (givenIn[0] !== world) return `${sale}: ${givenIn[0]} gave its item`
  if (outcome !== 'CONCLUIDA') return `${sale}: it ended with ${outcome}`
  return undefined
}

const columns: Readonly<Record<string, (sale: Sale) => string>> = {
  sale: ({ transactionId }) => String(transactionId),
  item: ({ itemRef }) => itemRef,
  world: ({ world }) => world,
  'webhook reached': ({ webhookAt }) => webhookAt,
  'order posted by': ({ orders }) => orders.map(({ by }) => by).join(', '),
  'given in': ({ givenIn }) => givenIn.join(', '),
  outcome: ({ outcome }) => outcome ?? '',
}

/** A table of sales, with a line for each. */
export function tableOf(sales: readonly Sale[]): string {
  const rows = sales.map((sale) => Object.values(columns).map((cell) => cell(sale)))
  const table = [Object.keys(columns), ...rows]
  const widths = Object.keys(columns).map((_, at) => Math.max(...table.map((row) => row[at]?.length ?? 0)))
  const lineOf = (row: readonly string[]) => row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join('  ')
  return table.map((row) => `    ${lineOf(row).trimEnd()}`).join('\n')
}
