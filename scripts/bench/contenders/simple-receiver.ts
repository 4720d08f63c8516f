/**
 * What the webhook bridge is measured against: the receiver that a person would write, with fastify and jose. It verifies
 * and answers by itself. It also posts to BENCH_FORWARD_URL, and syncs BENCH_SYNC_FILE before and after, if they are set.
 */
import { createPublicKey } from 'node:crypto'
import { open, readFile } from 'node:fs/promises'
import { fastify } from 'fastify'
import { flattenedVerify } from 'jose'

const { BENCH_FORWARD_URL: forwardUrl, BENCH_SYNC_FILE: syncFile } = process.env
const key = createPublicKey(await readFile(process.env['SERVICE_PLATFORM_PUBLIC_KEY_FILE'] ?? ''))
const file = syncFile ? await open(syncFile, 'a') : undefined
const store = async (text: string) => file?.write(text).then(() => file.datasync())
const app = fastify()
app.addContentTypeParser('application/json', { parseAs: 'string' }, (_, body, done) => done(null, body))
app.post<{ Body: string }>('/webhook', async ({ headers, body }) => {
  const [header = '', , signature = ''] = String(headers['x-platform-signature']).split('.')
  await flattenedVerify({ protected: header, payload: Buffer.from(body).toString('base64url'), signature }, key)
  if (!forwardUrl) return { observedQuantity: 3 }
  await store(body)
  const reply = await (await fetch(forwardUrl, { method: 'POST', body })).text()
  await store(reply)
  return JSON.parse(reply)
})
console.log(JSON.stringify({ msg: 'listening', url: await app.listen({ host: '127.0.0.1', port: 0 }) }))
