import { answering, type ReceivedWebhook, startReceiver } from '../platform-stub/fixtures/receiver.ts'

/** A webhook receiver that refuses some, drops some, and remembers what it acknowledged. */
export async function startUnsteadyReceiver(random: () => number) {
  /** `event transactionId` of everything that was answered 2xx. */
  const acknowledged = new Set<string>()
  let isSteady = false
  const receiver = await startReceiver((webhook, response) => {
    const chance = isSteady ? 1 : random()
    if (chance < 0.05) return response.destroy()
    if (chance < 0.2) return response.writeHead(503).end()
    acknowledged.add(`${webhook.event.event} ${webhook.event.transactionId}`)
    return answering(200)(webhook, response)
  })
  return {
    url: receiver.url,
    acknowledged,
    /** Each attempt is signed again, so no jti arrives twice. */
    repeatedJtis(): string[] {
      const jtis = Map.groupBy(receiver.received.map(jtiOf), (jti) => jti)
      return [...jtis].filter(([, { length }]) => length > 1).map(([jti]) => jti)
    },
    /** From now on everything is acknowledged. */
    steady() {
      isSteady = true
    },
    [Symbol.asyncDispose]: receiver[Symbol.asyncDispose],
  }
}
export type UnsteadyReceiver = Awaited<ReturnType<typeof startUnsteadyReceiver>>

function jtiOf({ headers }: ReceivedWebhook): string {
  const [segment = ''] = String(headers['x-platform-signature']).split('.')
  return JSON.parse(Buffer.from(segment, 'base64url').toString()).jti
}
