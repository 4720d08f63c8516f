import { expect, test } from 'vitest'
import { LimitedLog } from '../../../agent/log/limited-log.ts'
import { listLog } from '../fixtures/list-log.ts'
import { RawConnection, rawRequest } from '../fixtures/raw-connection.ts'
import { startTestAgent } from '../fixtures/test-agent.ts'
import { TestClock } from '../fixtures/test-clock.ts'

const token = 'authorization: Bearer s3cret-token'

for (const [what, request, line] of [
  [
    'a body that is not JSON',
    rawRequest('POST /call', '{', [token]),
    { route: 'POST /call', status: 400, reason: 'body: not-json' },
  ],
  [
    'an unknown operation',
    rawRequest('POST /call', '{"operation":"x","input":{}}', [token]),
    { route: 'POST /call', status: 400, reason: 'operation, input or id is not valid' },
  ],
  [
    'a missing token',
    rawRequest('GET /operations'),
    { route: 'GET /operations', status: 401, reason: 'token missing or wrong' },
  ],
  [
    'a browser',
    rawRequest('POST /call', '{}', [token, 'origin: https://evil.example']),
    { route: 'POST /call', status: 403, reason: 'sent by a browser' },
  ],
  [
    'an unknown route, with something secret behind it',
    rawRequest('GET /calls?token=s3cret-token'),
    { route: 'GET /calls', status: 404, reason: 'unknown route' },
  ],
  [
    'a large body',
    rawRequest('POST /call', ' '.repeat(65_537), [token]),
    { route: 'POST /call', status: 413, reason: 'body too large' },
  ],
  [
    'a form',
    rawRequest('POST /call', '{}', [token, 'content-type: text/plain']),
    { route: 'POST /call', status: 415, reason: 'not declared as JSON' },
  ],
  ['something that is not HTTP', 'SSH-2.0-OpenSSH_9.2\r\n\r\n', { status: 400, reason: 'HPE_INVALID_METHOD' }],
] as const) {
  test(`${what} leaves one line with route, status and reason, and no secret`, async () => {
    await using agent = await startTestAgent('http://127.0.0.1:9', { token: 's3cret-token' })
    using connection = await RawConnection.open(agent.url)
    connection.write(request)
    expect((await connection.answered(1))[0]?.status).toBe(line.status)
    const lines = agent.logLines().filter(({ msg }) => msg === 'request refused')
    expect(lines).toEqual([expect.objectContaining({ level: 'warn', ...line })])
    expect(JSON.stringify(agent.logLines())).not.toContain('s3cret-token')
  })
}

test('of many refused requests in one minute 30 are logged, and then the number of the others', () => {
  const { log, lines } = listLog()
  const clock = new TestClock()
  const refusals = new LimitedLog(log, clock)
  const refuse = (count: number) => {
    for (let n = 0; n < count; n++) refusals.warn({ status: 404 }, 'request refused')
  }
  refuse(100)
  expect(lines).toHaveLength(30)
  clock.advance(60_000)
  expect(lines.at(-1)).toMatchObject({ msg: 'request refused: more in the last minute', notLogged: 70 })
  refuse(2)
  clock.advance(60_000)
  expect(lines).toHaveLength(33)
})
