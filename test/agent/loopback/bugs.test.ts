import { expect, test } from 'vitest'
import { startHttpServer } from '../../../agent/http/http-server.ts'
import { startLoopbackServer } from '../../../agent/loopback/server.ts'
import { listLog } from '../fixtures/list-log.ts'
import { RawConnection, rawCall } from '../fixtures/raw-connection.ts'
import { goodInputs } from '../fixtures/test-agent.ts'
import { TestClock } from '../fixtures/test-clock.ts'

/** The answer to a call that meets a bug, and the lines that it leaves. */
async function answerOfBug(operation: string) {
  const { log, lines } = listLog()
  const server = await startLoopbackServer({
    address: { host: '127.0.0.1', port: 0 },
    config: { current: { token: undefined }, reload: () => ({ ok: true, changed: [] }), readToken: () => undefined },
    answerCall: () => Promise.reject(new Error('a bug')),
    listOrders: () => Promise.reject(new Error('a bug')),
    listOrdersOfWorlds: () => Promise.reject(new Error('a bug')),
    checkOrders: () => Promise.reject(new Error('a bug')),
    operationsText: () => '{}',
    statusText: async () => '{}',
    metrics: async () => ({ text: '' }),
    agent: 'market-agent 1.2.3',
    listen: startHttpServer,
    clock: new TestClock(),
    log,
    refusalLog: log,
  })
  using connection = await RawConnection.open(server.url)
  connection.write(rawCall(operation, goodInputs[operation], 'id-1'))
  const [answer] = await connection.answered(1)
  await server.close()
  return { status: answer?.status, body: JSON.parse(answer?.body ?? ''), lines }
}

test('a bug of the agent is answered with 500 and uncertain where the call may have acted, and logged', async () => {
  const { status, body, lines } = await answerOfBug('transaction.create')
  expect(status).toBe(500)
  expect(body).toEqual({
    ok: false,
    id: 'id-1',
    message: 'O agente encontrou um erro interno. A operação pode ter sido executada.',
    status: 500,
    code: 'INTERNAL',
    uncertain: true,
  })
  expect(lines).toMatchObject([
    {
      level: 'error',
      operation: 'transaction.create',
      id: 'id-1',
      err: { message: 'a bug', stack: expect.any(String) },
    },
  ])
})

test('a bug of the agent is answered with 500 and no uncertain where the call only reads', async () => {
  const { status, body } = await answerOfBug('market.eligibility')
  expect(status).toBe(500)
  expect(body).toEqual({
    ok: false,
    id: 'id-1',
    message: 'O agente encontrou um erro interno. Tente novamente em instantes.',
    status: 500,
    code: 'INTERNAL',
  })
})
