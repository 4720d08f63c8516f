import { watch } from 'node:fs'
import { type RequestFile, takeAnswer, writeRequest } from './requests.ts'
import type { SpoolProgram } from './spool-program.ts'

/** Milliseconds of one request, counted from its rename into the outbox. */
export interface LoneRequest {
  readonly claimMs: number
  readonly answerMs: number
}

const timeoutMs = 10_000

/**
 * Puts one request into a spool and waits for its answer. Sees the claim and the answer by the events of the file system;
 * the time that these take is in the figures.
 *
 * @throws {Error} The answer is not ok, or did not come within 10 s.
 */
export async function runLoneRequest({ outbox, inbox }: SpoolProgram, request: RequestFile): Promise<LoneRequest> {
  const ended = new AbortController()
  const timeout = setTimeout(() => ended.abort(new Error('No claim or no answer for 10 s')), timeoutMs)
  try {
    const claimed = seen(outbox, (name) => name.startsWith(`${request.name}.`), ended.signal)
    const answered = seen(inbox, (name) => name === request.name, ended.signal)
    const startMs = writeRequest(outbox, request)
    const [claimedMs, answeredMs] = await Promise.all([claimed, answered])
    takeAnswer(inbox, request.name)
    return { claimMs: claimedMs - startMs, answerMs: answeredMs - startMs }
  } finally {
    clearTimeout(timeout)
    ended.abort()
  }
}

/** When a matching file changed, monotonic. */
function seen(dir: string, isIt: (name: string) => boolean, signal: AbortSignal): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  watch(dir, { signal }, (_, name) => {
    const atMs = performance.now()
    if (isIt(String(name))) resolve(atMs)
  })
  signal.addEventListener('abort', () => reject(signal.reason))
  return promise
}
