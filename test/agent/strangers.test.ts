import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { operations } from '../../contract/operations.ts'
import { until } from '../../scripts/until.ts'
import { cheaply, headerLine, hostileName, hostileText, hostileValue } from '../fixtures/strangers.ts'
import { order } from './fixtures/events.ts'
import { RawConnection, rawRequest } from './fixtures/raw-connection.ts'
import { putRequest } from './fixtures/spool-fixture.ts'
import { startTestBridge, type TestBridge } from './fixtures/test-bridge.ts'

const names = fc.oneof(fc.constantFrom(...Object.keys(operations)), hostileName)

async function statusOf(url: string, line: string, headers: readonly string[], body: string): Promise<number> {
  using connection = await RawConnection.open(url)
  connection.write(rawRequest(line, body, headers))
  const [answer] = await connection.answered(1)
  return answer?.status ?? 0
}

/** Runs a property against one agent, which answers every request and still does so at the end. */
async function assertDoor<Given>(
  given: fc.Arbitrary<Given>,
  use: (bridge: TestBridge, given: Given) => Promise<void>,
  numRuns: number,
): Promise<void> {
  await using bridge = await startTestBridge({ withSpool: true })
  const property = fc.asyncProperty(given, (one) => use(bridge, one))
  await fc.assert(property, { numRuns, endOnFailure: true })
  expect((await fetch(`${bridge.agent.url}/health`)).status).toBe(200)
  expect(bridge.agent.logLines().filter(({ level }) => level === 'error')).toEqual([])
}

const lines = ['POST /call', 'GET /health', 'GET /status', 'POST /webhook', 'GET /__proto__', 'POST /constructor']
const headers = fc.array(fc.tuple(hostileName, hostileText), { maxLength: 4 })

test('whatever headers and body a stranger sends to either port are answered', async () => {
  const given = fc.tuple(fc.constantFrom('call', 'webhook'), fc.constantFrom(...lines), headers, hostileValue)
  await assertDoor(
    given,
    async ({ agent }, [port, line, more, value]) => {
      const url = port === 'call' ? agent.url : (agent.webhookUrl ?? '')
      const head = ['content-type: application/json', ...more.map(([name, text]) => headerLine(name, text))]
      const status = await cheaply(() => statusOf(url, line, head, JSON.stringify(value)))
      expect(status).toBeGreaterThanOrEqual(200)
      expect(status).toBeLessThan(500)
    },
    150,
  )
})

test('whatever operation, input and id a call names, it has an answer that is not a bug', async () => {
  const given = fc.tuple(names, fc.oneof(hostileValue, fc.dictionary(hostileName, hostileValue)), hostileName)
  await assertDoor(
    given,
    async ({ agent, platform }, [operation, input, id]) => {
      platform.reply = () => ({ status: 409, body: '{"message":"não"}' })
      const body = JSON.stringify({ operation, input, id })
      const { status, text } = await cheaply(() => agent.callText(body))
      expect([200, 400, 413]).toContain(status)
      expect(JSON.parse(text)).toMatchObject({ ok: expect.any(Boolean) })
    },
    200,
  )
})

test('whatever text a request file has, it gets an answer file or is set aside', async () => {
  let count = 0
  const text = fc.oneof(
    hostileText,
    fc.dictionary(hostileName, hostileValue).map((value) => JSON.stringify(value)),
  )
  await assertDoor(
    text,
    async ({ spoolDir, clock }, given) => {
      const id = `file-${++count}`
      await cheaply(async () => {
        putRequest(join(spoolDir, 'outbox'), id, given)
        const answered = () => readFileSync(join(spoolDir, 'inbox', `${id}.json`), 'utf8')
        const answer = await until(() => {
          clock.advance(500)
          return answered()
        })
        expect(JSON.parse(answer)).toMatchObject({ id, ok: false })
      })
    },
    30,
  )
})

test('whatever fields a signed webhook has in addition to its own or instead of them, it is answered', async () => {
  const changes = fc.dictionary(fc.oneof(hostileName, fc.constantFrom(...Object.keys(order))), hostileValue)
  await assertDoor(
    changes,
    async (bridge, changed) => {
      // One that is not an order, or the end of none: nobody waits for a reply.
      const event = JSON.stringify({ ...order, ...changed, event: 'transaction_terminal' })
      const { status } = await cheaply(() => bridge.webhook(event))
      expect(status).toBeLessThan(500)
    },
    100,
  )
})
