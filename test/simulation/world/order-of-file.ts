const messageFile = /^(transfer_order|transaction_terminal)-(\d+)(?:-\d+)?\.json$/

/** The event in a file of `events/`, by its name; undefined for any other file. */
export function eventOfFile(name: string): 'transfer_order' | 'transaction_terminal' | undefined {
  return messageFile.exec(name)?.[1] as ReturnType<typeof eventOfFile>
}

/** The transaction of the order in a file of `events/` or `replies/`; undefined for any other file. */
export function orderOfFile(name: string): string | undefined {
  const [, event, id] = messageFile.exec(name) ?? []
  return event === 'transfer_order' ? id : undefined
}
