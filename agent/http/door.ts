/** The head of a request as it was received. */
export interface RequestHead {
  readonly method: string
  /** The request target, unparsed. */
  readonly target: string
  /** Names and values in turn. A header that came twice is here twice. */
  readonly rawHeaders: readonly string[]
}

/** A request at a port. */
export interface DoorRequest extends RequestHead {
  /** Asks the sender for the body, if it waits for that, and reads it. `broken`: the sender hung up before its end. */
  readBody(): Promise<Buffer | 'too-large' | 'broken'>
}

/** What is answered to one request. */
export interface Answer {
  readonly status: number
  readonly text: string
  /** JSON if it is left out. */
  readonly contentType?: string
  /** The method that the route has. */
  readonly allow?: string | undefined
}

/**
 * Answers the requests at a port and knows nothing about sockets. Undefined when the sender has hung up.
 *
 * `onSent` is called when the answer has left (`hasLeft`), or can no longer leave.
 */
export type Door = (
  request: DoorRequest,
) => Promise<(Answer & { readonly onSent?: (hasLeft: boolean) => Promise<void> }) | undefined>

/** Headers by their name in lower case. */
export function headersOf(rawHeaders: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const headers = new Map<string, string[]>()
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]?.toLowerCase() ?? ''
    const values = headers.get(name)
    if (values) values.push(rawHeaders[at + 1] ?? '')
    else headers.set(name, [rawHeaders[at + 1] ?? ''])
  }
  return headers
}
