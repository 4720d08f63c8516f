/**
 * What the agent's answers to repeated ids are measured against: node:http and nothing else. It reads each request to
 * its end, ignores it, and answers with the bytes in BENCH_ANSWER.
 */
import { createServer } from 'node:http'
import { announce } from '../machine/announce.ts'

const answer = Buffer.from(process.env['BENCH_ANSWER'] ?? '')
const headers = { 'Content-Type': 'application/json', 'Content-Length': answer.byteLength }
announce(
  createServer((request, response) => {
    request.resume()
    request.on('end', () => response.writeHead(200, headers).end(answer))
  }),
)
