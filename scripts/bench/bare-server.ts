/**
 * What the agent's answers to repeated ids are measured against: node:http and nothing else. It reads each request to
 * its end, does not look at it, and answers with the bytes that it was given.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

const answer = Buffer.from(process.env['BENCH_ANSWER'] ?? '')
const headers = { 'Content-Type': 'application/json', 'Content-Length': answer.byteLength }

const server = createServer((request, response) => {
  request.resume()
  request.on('end', () => response.writeHead(200, headers).end(answer))
})
server.keepAliveTimeout = 65_000
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo
  console.log(JSON.stringify({ msg: 'listening', url: `http://127.0.0.1:${port}` }))
})
