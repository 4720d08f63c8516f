import { once } from 'node:events'
import { createServer } from 'node:http'
import { until } from '../../scripts/until.ts'

/** Takes the place of a game server that is down, until the agent has pushed an event to it so many times. */
export async function refusePushes(forwardUrl: string, event: string, count: number): Promise<void> {
  let pushes = 0
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    response.writeHead(503, { connection: 'close' }).end()
    if (Buffer.concat(chunks).toString().includes(`"${event}"`)) pushes++
  })
  const { port, hostname } = new URL(forwardUrl)
  server.listen(Number(port), hostname)
  try {
    await until(async () => pushes >= count, `push ${count} of ${event}`)
  } finally {
    const closed = once(server, 'close')
    server.close()
    await closed
  }
}
