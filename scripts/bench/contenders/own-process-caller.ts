/**
 * A game server without a sidecar: it signs with jose and sends with fetch in its own process. It generates the load
 * itself, because the hop to a sidecar is what it saves. POST / with a `LoadOrder` runs a load and answers its result.
 */
import { createServer } from 'node:http'
import { json } from 'node:stream/consumers'
import { closedLoop, type Pace } from '../load/closed-loop.ts'
import { announce } from '../machine/announce.ts'
import { checkAnswer, endlessCalls, type Work } from '../platform/calls.ts'
import { platformClientFromEnvironment } from './simple-client.ts'

const call = await platformClientFromEnvironment()
announce(
  createServer(async (request, response) => {
    const { work, ...pace } = (await json(request)) as Pace & { work: Work }
    const calls = endlessCalls(work)
    const result = await closedLoop(pace, async () => {
      const next = calls.next().value
      return checkAnswer(next, await call(next.operation, next.input))
    })
    response.end(JSON.stringify(result))
  }),
)
