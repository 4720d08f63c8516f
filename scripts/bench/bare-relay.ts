/**
 * The least that can stand between a caller and the platform: bare sockets on both sides, nothing of HTTP read but where
 * its head ends, one signature, in place, one call at a time. Whatever it misses, a server that reads HTTP misses too.
 */
import { createPrivateKey, randomUUID, sign } from 'node:crypto'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { credentialsFromEnvironment, type Route, routes } from './simple-sidecar.ts'

const { apiKey, baseUrl, kid, signingKeyPem } = await credentialsFromEnvironment()
const key = createPrivateKey(signingKeyPem)
const { host, hostname, port } = new URL(baseUrl)
const platform = connect({ host: hostname, port: Number(port), noDelay: true })
let caller: Socket | undefined

const server = createServer({ noDelay: true }, (socket) => {
  socket.on('data', (chunk) => {
    caller = socket
    platform.write(signedRequest(JSON.parse(bodyOf(chunk))))
  })
  socket.on('error', () => socket.destroy())
})

platform.on('data', (chunk) => {
  const data = bodyOf(chunk).slice('{"data":'.length, -1) || 'null'
  const text = `{"ok":true,"data":${data}}`
  caller?.write(
    `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
  )
})

server.listen(Number(process.env['SERVICE_AGENT_PORT'] ?? 0), '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo
  console.log(JSON.stringify({ msg: 'listening', url: `http://127.0.0.1:${port}` }))
})

function bodyOf(chunk: Buffer | string): string {
  const text = chunk.toString()
  return text.slice(text.indexOf('\r\n\r\n') + 4)
}

function signedRequest({ operation, input }: { operation: string; input: Record<string, unknown> }): string {
  const { method, path, body } = routes[operation] as Route
  const payload = body ? JSON.stringify(body(input)) : ''
  const header = { alg: 'RS256', kid, jti: randomUUID(), exp: Math.floor(Date.now() / 1_000) + 60 }
  const protectedHeader = Buffer.from(JSON.stringify(header)).toString('base64url')
  const signingInput = Buffer.from(`${protectedHeader}.${Buffer.from(payload).toString('base64url')}`)
  const signature = sign('sha256', signingInput, key).toString('base64url')
  const type = payload && `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(payload)}\r\n`
  return `${method} ${path(input)} HTTP/1.1\r\nhost: ${host}\r\nx-platform-signature: ${protectedHeader}..${signature}\r\nx-service-api-key: ${apiKey}\r\n${type}\r\n${payload}`
}
