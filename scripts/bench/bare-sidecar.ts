/**
 * How much of the way any sidecar must pay on this machine: node:http, `crypto.sign`, `Pool.request`, and none of what
 * makes the agent safe. No check of input or answer, no retries, no order, no guards, no log, no memory.
 */
import { createPrivateKey, randomUUID, sign } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Pool } from 'undici'
import { type Answer, credentialsFromEnvironment, type Route, routes } from './simple-sidecar.ts'

if (import.meta.main) {
  const { apiKey, baseUrl, kid, signingKeyPem } = await credentialsFromEnvironment()
  const key = createPrivateKey(signingKeyPem)
  const pool = new Pool(baseUrl, { connections: 128, headersTimeout: 0, bodyTimeout: 0 })
  let underWay = 0

  const server = createServer((request, response) => {
    let text = ''
    request.setEncoding('utf8')
    request.on('data', (chunk: string) => {
      text += chunk
    })
    request.on('end', async () => {
      underWay++
      const answer = JSON.stringify(await call(JSON.parse(text)))
      underWay--
      response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(answer) })
      response.end(answer)
    })
  })
  server.keepAliveTimeout = 65_000
  server.listen(Number(process.env['SERVICE_AGENT_PORT'] ?? 0), '127.0.0.1', () => {
    const { port } = server.address() as AddressInfo
    console.log(JSON.stringify({ msg: 'listening', url: `http://127.0.0.1:${port}` }))
  })

  async function call({ operation, input }: { operation: string; input: Record<string, unknown> }): Promise<Answer> {
    const { method, path, body, withApiKey } = routes[operation] as Route
    const payload = body ? JSON.stringify(body(input)) : ''
    const header = { alg: 'RS256', kid, jti: randomUUID(), exp: Math.floor(Date.now() / 1_000) + 60 }
    const protectedHeader = Buffer.from(JSON.stringify(header)).toString('base64url')
    const signature = await signed(`${protectedHeader}.${Buffer.from(payload).toString('base64url')}`)
    const answer = await pool.request({
      method: method as 'GET' | 'POST' | 'PUT',
      path: path(input),
      headers: {
        'X-Platform-Signature': `${protectedHeader}..${signature.toString('base64url')}`,
        ...(withApiKey && { 'X-Service-Api-Key': apiKey }),
        ...(payload && { 'Content-Type': 'application/json' }),
      },
      body: payload || null,
    })
    const text = await answer.body.text()
    const { data = null, message = '' } = text ? (JSON.parse(text) as { data?: unknown; message?: string }) : {}
    return answer.statusCode < 300 ? { ok: true, data } : { ok: false, message, status: answer.statusCode }
  }

  /** In place when nothing else is under way, as the agent does. */
  function signed(input: string): Buffer | Promise<Buffer> {
    const bytes = Buffer.from(input, 'latin1')
    if (underWay === 1) return sign('sha256', bytes, key)
    return new Promise((resolve, reject) => {
      sign('sha256', bytes, key, (error, signature) => (error ? reject(error) : resolve(signature)))
    })
  }
}
