import { expect, test } from 'vitest'
import { RawConnection, rawCall, rawRequest } from '../fixtures/raw-connection.ts'
import { ScriptedPlatform } from '../fixtures/scripted-platform.ts'
import { goodBodies, goodInputs, startTestAgent } from '../fixtures/test-agent.ts'

const eligibility = ['market.eligibility', goodInputs['market.eligibility']] as const
const health = rawRequest('GET /health')

/** A platform that answers when the test says so. */
async function patientPlatform() {
  const platform = await ScriptedPlatform.start()
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  platform.otherwise = { status: 200, body: goodBodies['market.eligibility'] ?? '', after: released }
  return Object.assign(platform, { release })
}

test('requests sent one behind another are all answered, in their order, while the agent stops', async () => {
  await using platform = await patientPlatform()
  await using agent = await startTestAgent(platform.url)
  using slowFirst = await RawConnection.open(agent.url)
  slowFirst.write(rawCall(...eligibility, 'a') + health)
  using slowLast = await RawConnection.open(agent.url)
  slowLast.write(health + rawCall(...eligibility, 'b') + rawCall(...eligibility, 'c'))
  await platform.requests(3)
  const stopped = agent.close()
  platform.release()
  const ids = async (connection: RawConnection, count: number) =>
    (await connection.answered(count)).map(({ body }) => JSON.parse(body).id ?? 'health')
  expect(await ids(slowFirst, 2)).toEqual(['a', 'health'])
  expect(await ids(slowLast, 3)).toEqual(['health', 'b', 'c'])
  await Promise.all([stopped, slowFirst.closed, slowLast.closed])
})

test('requests sent one behind another are all answered when something that is not HTTP follows them', async () => {
  await using platform = await patientPlatform()
  await using agent = await startTestAgent(platform.url)
  using connection = await RawConnection.open(agent.url)
  connection.write(`${rawCall(...eligibility, 'a')}${rawCall(...eligibility, 'b')}${health}\0\0`)
  await platform.requests(2)
  platform.release()
  await connection.closed
  expect(connection.answers.map(({ status }) => status)).toEqual([200, 200, 200])
})

test('a refused request does not cost the answers before it', async () => {
  await using platform = await patientPlatform()
  await using agent = await startTestAgent(platform.url)
  using connection = await RawConnection.open(agent.url)
  connection.write(rawCall(...eligibility, 'a') + rawRequest('POST /nothing', '{}') + rawCall(...eligibility, 'b'))
  await platform.requests(2)
  platform.release()
  expect((await connection.answered(3)).map(({ status }) => status)).toEqual([200, 404, 200])
})

test('2,500 connections that stay open after one request leave room for other callers', async () => {
  await using agent = await startTestAgent('http://127.0.0.1:9')
  using connections = new DisposableStack()
  for (let opened = 0; opened < 2_500; opened += 100) {
    await Promise.all(
      Array.from({ length: 100 }, async () => {
        const connection = connections.use(await RawConnection.open(agent.url))
        connection.write(health)
        await connection.answered(1)
      }),
    )
  }
  using another = await RawConnection.open(agent.url)
  another.write(health)
  expect((await another.answered(1))[0]?.status).toBe(200)
})

test('connections that say nothing do not keep a call from its answer', async () => {
  await using platform = await patientPlatform()
  await using agent = await startTestAgent(platform.url)
  using calling = await RawConnection.open(agent.url)
  calling.write(rawCall(...eligibility))
  await platform.requests(1)
  using connections = new DisposableStack()
  for (let opened = 0; opened < 2_500; opened++) connections.use(await RawConnection.open(agent.url))
  platform.release()
  expect((await calling.answered(1))[0]?.status).toBe(200)
})

for (const [what, head] of [
  ['10 GB', 'content-length: 10000000000'],
  ['10 GB, with Expect', 'content-length: 10000000000\r\nexpect: 100-continue'],
  ['an unknown type', 'content-length: 10\r\ncontent-type: text/plain'],
] as const) {
  test(`a body of ${what} is refused at once, before it is sent, and the connection is closed`, async () => {
    await using agent = await startTestAgent('http://127.0.0.1:9')
    using connection = await RawConnection.open(agent.url)
    connection.write(`POST /call HTTP/1.1\r\nhost: 127.0.0.1\r\n${head}\r\n\r\n`)
    const [answer] = await connection.answered(1)
    expect(answer?.head).toContain('connection: close')
    expect([413, 415]).toContain(answer?.status)
    await connection.closed
  })
}

test('a caller that asks before it sends the body is told to continue', async () => {
  await using platform = await patientPlatform()
  platform.release()
  await using agent = await startTestAgent(platform.url)
  using connection = await RawConnection.open(agent.url)
  const body = JSON.stringify({ operation: 'market.eligibility', input: goodInputs['market.eligibility'] })
  connection.write(rawRequest('POST /call', body, ['expect: 100-continue']).slice(0, -body.length))
  expect((await connection.answered(1))[0]?.status).toBe(100)
  connection.write(body)
  expect((await connection.answered(2))[1]?.status).toBe(200)
})

test('a connection may stay idle for 65 s, and the answer says so', async () => {
  await using agent = await startTestAgent('http://127.0.0.1:9')
  using connection = await RawConnection.open(agent.url)
  connection.write(health)
  const [answer] = await connection.answered(1)
  expect(answer?.head).toMatch(/\r\nkeep-alive: timeout=65(?:\r\n|$)/)
})
