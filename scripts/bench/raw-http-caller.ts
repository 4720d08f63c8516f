import { BareConnection } from './bare-connection.ts'

const patienceMs = 10_000

/** A connection that sends the same request again and again, and expects the same body each time. */
export interface RawHttpCaller {
  /**
   * One request and its answer. Only one at a time.
   *
   * @throws {Error} The answer is another, or none within 10 s.
   */
  readonly ask: () => Promise<void>
  readonly close: () => void
}

/**
 * Sends ready bytes over a bare socket and only compares what comes back: an HTTP client would take more of the machine
 * than the servers that it is to measure.
 */
export async function openRawHttpCaller(
  url: string,
  path: string,
  body: string,
  answer: string,
): Promise<RawHttpCaller> {
  const connection = await BareConnection.open(url, patienceMs)
  const head = [`POST ${path} HTTP/1.1`, `Host: ${new URL(url).host}`, 'Content-Type: application/json']
  const request = Buffer.from([...head, `Content-Length: ${Buffer.byteLength(body)}`, '', body].join('\r\n'))
  const expected = Buffer.from(answer).toString('latin1')
  return {
    async ask() {
      const { status, body: given } = await connection.exchange(request)
      if (status !== 200 || given !== expected) throw new Error(`Not the expected answer: ${status} ${given}`)
    },
    close: () => connection.end(),
  }
}
