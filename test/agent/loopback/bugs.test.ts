import { expect, test } from 'vitest'
import { StoreUnreachableError } from '../../../agent/database/store-errors.ts'
import { startHttpServer } from '../../../agent/http/http-server.ts'
import { startLoopbackServer } from '../../../agent/loopback/server.ts'
import { listLog } from '../fixtures/list-log.ts'
import { RawConnection, rawCall, rawRequest } from '../fixtures/raw-connection.ts'
import { goodInputs } from '../fixtures/test-agent.ts'
import { TestClock } from '../fixtures/test-clock.ts'

/** The answer to a request that meets an error, and the lines that it leaves. */
async function answerTo(request: string, error: Error) {
  const { log, lines } = listLog()
  const fail = () => Promise.reject(error)
  const server = await startLoopbackServer({
    address: { host: '127.0.0.1', port: 0 },
    config: { current: { token: undefined }, reload: () => ({ ok: true, changed: [] }), readToken: () => undefined },
    answerCall: fail,
    listOrders: fail,
    listOrdersOfWorlds: fail,
    checkOrders: fail,
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
  connection.write(request)
  const [answer] = await connection.answered(1)
  await server.close()
  return { status: answer?.status, body: JSON.parse(answer?.body ?? ''), lines }
}

const answerOfBug = (operation: string) =>
  answerTo(rawCall(operation, goodInputs[operation], 'id-1'), new Error('a bug'))

test.each(['GET /orders', 'GET /orders/all-worlds', 'POST /orders/check'])(
  'while the store that agents share is away, %s says so with 503, and not that the agent has a bug',
  async (page) => {
    const request = rawRequest(page)
    const { status, body, lines } = await answerTo(request, new StoreUnreachableError('the store was not reached yet'))
    expect([status, body.code]).toEqual([503, 'STORE_UNREACHABLE'])
    expect(lines).toMatchObject([{ level: 'warn', reason: 'the store cannot be reached' }])
  },
)

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
