import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A webhook receiver that refuses some, drops some, and remembers what it acknowledged. */
export async function startUnsteadyReceiver(random: () => number) {
  /** `event transactionId` of everything that was answered 2xx. */
  const acknowledged = new Set<string>()
  const jtis = new Map<string, number>()
  let isSteady = false
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { event, transactionId } = JSON.parse(Buffer.concat(chunks).toString())
      const [segment = ''] = String(request.headers['x-platform-signature']).split('.')
      const { jti } = JSON.parse(Buffer.from(segment, 'base64url').toString())
      jtis.set(jti, (jtis.get(jti) ?? 0) + 1)
      const chance = isSteady ? 1 : random()
      if (chance < 0.05) return response.destroy()
      if (chance < 0.2) return response.writeHead(503).end()
      acknowledged.add(`${event} ${transactionId}`)
      return response.writeHead(200).end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhook`,
    acknowledged,
    /** Signed anew at each attempt, no jti comes twice. */
    repeatedJtis: () => [...jtis].filter(([, count]) => count > 1).map(([jti]) => jti),
    /** From now on everything is acknowledged. */
    steady() {
      isSteady = true
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
export type UnsteadyReceiver = Awaited<ReturnType<typeof startUnsteadyReceiver>>
