/** The transaction of the order in a file of `events/` or `replies/`; undefined for any other file. */
export function orderOfFile(name: string): string | undefined {
  return /^transfer_order-(\d+)(?:-\d+)?\.json$/.exec(name)?.[1]
}
