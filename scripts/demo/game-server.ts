import { existsSync, readFileSync, renameSync, unlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'

/** What the agent answered, the same for both interfaces. */
export interface Answer {
  readonly ok: boolean
  readonly data: Readonly<Record<string, unknown>>
  readonly message?: string
  readonly status?: number
}

/** How a game server reaches its agent. */
export type Caller = (operation: string, input: Readonly<Record<string, unknown>>, id?: string) => Promise<Answer>

/** Interface A: POST /call. */
export function callingByHttp(agentUrl: string): Caller {
  return async (operation, input, id) => {
    const response = await fetch(`${agentUrl}/call`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ operation, input, id }),
    })
    const answer = (await response.json()) as Answer
    return { ...answer, data: answer.data ?? {} }
  }
}

/** Interface C: a file into the outbox, a file from the inbox. */
export function callingByFiles(spoolDir: string): Caller {
  let count = 0
  return async (operation, input, id = `demo-${process.pid}-${++count}`) => {
    const unfinished = join(spoolDir, 'outbox', `.${id}.tmp`)
    writeFileSync(unfinished, JSON.stringify({ id, action: operation, ...input }))
    renameSync(unfinished, join(spoolDir, 'outbox', `${id}.json`))
    const inbox = join(spoolDir, 'inbox', `${id}.json`)
    for (let tries = 0; !existsSync(inbox); tries++) {
      if (tries > 600) throw new Error(`no answer in ${inbox} within 30 s`)
      await wait(50)
    }
    const { ok, id: _, ...rest } = JSON.parse(readFileSync(inbox, 'utf8'))
    unlinkSync(inbox)
    return ok ? { ok, data: rest } : { ok, data: {}, message: rest.message, status: rest.status }
  }
}

/** A webhook that arrived, and whether its signature held. */
export interface ReceivedEvent {
  readonly event: string
  readonly transactionId: number
  readonly quantity?: number
  readonly paymentStatus?: string
  readonly deliveryStatus?: string | null
  readonly reason?: string | null
}

/** The sample game server's webhook receiver. Signatures are left to the agent: few game servers can verify RS256. */
export interface WebhookReceiver extends Disposable {
  readonly url: string
  /** Resolves with the event of a transaction, which has arrived or will within 15 s. */
  received(event: string, transactionId: number): Promise<ReceivedEvent>
}

/** @param verify Set once an agent is there to ask. Until then every webhook is turned away. */
export async function startWebhookReceiver(asked: { verify?: Caller; stock: number }): Promise<WebhookReceiver> {
  const events: ReceivedEvent[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const bodyBase64 = Buffer.concat(chunks).toString('base64')
    const signature = request.headers['x-platform-signature']
    const verified = await asked.verify?.('webhook.verify', { signature, bodyBase64 })
    if (!verified?.ok) return void response.writeHead(401).end()
    events.push(verified.data['event'] as ReceivedEvent)
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ observedQuantity: asked.stock }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhook`,
    async received(event, transactionId) {
      for (let tries = 0; tries < 300; tries++) {
        const found = events.find((candidate) => candidate.event === event && candidate.transactionId === transactionId)
        if (found) return found
        await wait(50)
      }
      throw new Error(`no ${event} of transaction ${transactionId} arrived within 15 s`)
    },
    [Symbol.dispose]() {
      server.close()
      server.closeAllConnections()
    },
  }
}
