import { once } from 'node:events'
import type { Server } from 'node:http'
import type { Port } from './listen.ts'

const waitMs = 3_000
const intervalMs = 100

/**
 * Takes a port. The system frees the port of a killed process a moment after its locks, so a port that is taken is tried
 * again for 3 s.
 *
 * @throws {NodeJS.ErrnoException} It cannot be taken.
 */
export async function takePort(server: Server, { host, port, clock, onTaken }: Port): Promise<void> {
  const endMs = clock.monotonicMs() + waitMs
  for (let isReported = false; ; isReported = true) {
    try {
      server.listen(port, host)
      await once(server, 'listening')
      return
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE' || clock.monotonicMs() >= endMs) throw error
      if (!isReported) onTaken()
      await clock.sleep(intervalMs)
    }
  }
}
