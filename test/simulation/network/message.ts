/** A request as it goes over the network. */
export interface NetworkRequest {
  readonly method: string
  readonly path: string
  /** A name, its value, the next name, and so on. */
  readonly headers: readonly string[]
  readonly body: Uint8Array
}

/** An answer as it comes back. Names of headers are in lower case. */
export interface NetworkAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
}

/** What became of a request. `wasSent` false: no byte of it left. */
export type Exchange =
  | { readonly kind: 'answered'; readonly answer: NetworkAnswer }
  | { readonly kind: 'failed'; readonly wasSent: boolean; readonly cause: Error }

/** What a server answers. */
export interface HandledAnswer extends NetworkAnswer {
  /** Called when the answer has left the server, or can no longer leave. That it arrives is another matter. */
  readonly onSent?: (hasLeft: boolean) => unknown
}

/** Answers requests; undefined hangs up without an answer. */
export type Handler = (request: NetworkRequest) => Promise<HandledAnswer | undefined>

/** The value of a header of a request; undefined if it has none of that name. */
export function headerIn(headers: NetworkRequest['headers'], name: string): string | undefined {
  const at = headers.findIndex((known, n) => n % 2 === 0 && known.toLowerCase() === name.toLowerCase())
  return at < 0 ? undefined : headers[at + 1]
}
