/**
 * What the agent is measured against: the sidecar that a person would write in an afternoon, with fastify, jose and
 * Node's own fetch. It has no retries, no ordering, no guards, no log and no journal.
 */
import { fastify } from 'fastify'
import { type CallInput, platformClientFromEnvironment } from './simple-client.ts'

const call = await platformClientFromEnvironment()
const app = fastify()
app.post<{ Body: { operation: string; input: CallInput } }>('/call', ({ body }) => call(body.operation, body.input))
const url = await app.listen({ host: '127.0.0.1', port: Number(process.env['SERVICE_AGENT_PORT'] ?? 0) })
console.log(JSON.stringify({ msg: 'listening', url }))
