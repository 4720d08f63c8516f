import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { expect, test } from 'vitest'
import { faultTable } from '../../../agent/call/fault-table.ts'
import type { RefusalCode } from '../../../agent/call/messages.ts'
import { ScriptedPlatform, type Step } from '../fixtures/scripted-platform.ts'
import { goodBodies, goodInputs, startTestAgent } from '../fixtures/test-agent.ts'

/** One operation for each retry class; none of them asks the platform anything further. */
const operationOf = {
  once: 'transaction.create',
  idempotent: 'market.adjust-stock',
  safe: 'market.eligibility',
} as const
const classes = ['once', 'idempotent', 'safe'] as const
type RetryClass = (typeof classes)[number]

/** What a call ends with when every attempt meets the same fault. */
interface End {
  readonly status: number
  /** Of the agent's own refusals. */
  readonly code?: RefusalCode
  readonly uncertain?: true
  /** `1`, `2`, or `many`: repeated until the deadline or the budget. */
  readonly attempts: 1 | 2 | 'many'
}

const message = (text: string) => JSON.stringify({ message: text })
const refused: Record<RetryClass, End> = {
  once: { status: 0, attempts: 1 },
  idempotent: { status: 0, attempts: 1 },
  safe: { status: 0, attempts: 1 },
}
const withStatus = (ends: Record<RetryClass, End>, status: number, code?: RefusalCode): Record<RetryClass, End> => ({
  once: { ...ends.once, status, ...(code && { code }) },
  idempotent: { ...ends.idempotent, status, ...(code && { code }) },
  safe: { ...ends.safe, status, ...(code && { code }) },
})
const unanswered: Record<RetryClass, End> = {
  once: { status: 504, code: 'NO_ANSWER', uncertain: true, attempts: 1 },
  idempotent: { status: 504, code: 'NO_ANSWER', uncertain: true, attempts: 'many' },
  safe: { status: 504, code: 'NO_ANSWER', attempts: 'many' },
}
const actedPerhaps: Record<RetryClass, End> = {
  once: { status: 0, uncertain: true, attempts: 1 },
  idempotent: { status: 0, uncertain: true, attempts: 'many' },
  safe: { status: 0, attempts: 'many' },
}
const misread: Record<RetryClass, End> = {
  once: { status: 502, code: 'ANSWER_INVALID', uncertain: true, attempts: 1 },
  idempotent: { status: 502, code: 'ANSWER_INVALID', uncertain: true, attempts: 1 },
  safe: { status: 502, code: 'ANSWER_INVALID', attempts: 1 },
}
const again = (status: number): Record<RetryClass, End> => ({
  once: { status, attempts: 'many' },
  idempotent: { status, attempts: 'many' },
  safe: { status, attempts: 'many' },
})

/** The table, a row a fault: what every attempt meets, and how each retry class ends. */
const rows: Readonly<Record<string, readonly [Step, Record<RetryClass, End>]>> = {
  'a reset after the request': [{ fault: 'reset' }, unanswered],
  'a connection closed without an answer': [{ fault: 'close' }, unanswered],
  'an answer cut short': [{ fault: 'cut' }, unanswered],
  'a garbled answer': [{ fault: 'garbage' }, unanswered],
  'a 200 that is not JSON': [{ status: 200, body: '<html>' }, misread],
  'a 200 without data': [{ status: 200, body: '{"dado":1}' }, misread],
  'a 200 whose data lacks a field': [{ status: 200, body: '{"data":{"paymentStatus":"PAGO"}}' }, misread],
  'a 202': [{ status: 202, body: '{"data":{}}' }, misread],
  '400': [{ status: 400, body: message('Campo inválido.') }, withStatus(refused, 400)],
  '403': [{ status: 403, body: message('Proibido.') }, withStatus(refused, 403)],
  '404': [{ status: 404, body: message('Não encontrado.') }, withStatus(refused, 404)],
  '409': [{ status: 409, body: message('Já existe.') }, withStatus(refused, 409)],
  '413': [{ status: 413, body: message('Grande demais.') }, withStatus(refused, 413)],
  '422': [{ status: 422, body: message('Inválido.') }, withStatus(refused, 422)],
  '401': [
    { status: 401, body: message('Assinatura inválida.') },
    {
      once: { status: 401, attempts: 1 },
      idempotent: { status: 401, attempts: 2 },
      safe: { status: 401, attempts: 2 },
    },
  ],
  '408': [{ status: 408, body: message('Tempo esgotado.') }, withStatus(actedPerhaps, 408)],
  '429': [{ status: 429, body: message('Devagar.') }, again(429)],
  '500': [{ status: 500, body: message('Erro.') }, withStatus(actedPerhaps, 500)],
  '502': [{ status: 502, body: '<html>Bad Gateway</html>' }, withStatus(actedPerhaps, 502, 'NO_REASON_GIVEN')],
  '503': [{ status: 503, body: message('Em manutenção.') }, withStatus(actedPerhaps, 503)],
  '504': [{ status: 504, body: message('Tempo esgotado.') }, withStatus(actedPerhaps, 504)],
}

for (const [fault, [step, ends]] of Object.entries(rows)) {
  for (const retryClass of classes) {
    // A PUT may return anything under `data`, with any 2xx.
    if (retryClass === 'idempotent' && (fault === 'a 202' || fault === 'a 200 whose data lacks a field')) continue
    const end = ends[retryClass]
    const fate = `${end.attempts === 'many' ? 'is repeated and' : end.attempts === 2 ? 'is tried once more and' : ''} ends with ${end.status}`
    test(`${fault}: a ${retryClass} call ${fate}${end.uncertain ? ', uncertain' : ''}`, async () => {
      await using platform = await ScriptedPlatform.start()
      platform.otherwise = step
      await using agent = await startTestAgent(platform.url)
      const operation = operationOf[retryClass]
      const answer = await agent.call(operation, goodInputs[operation])
      const attempts = platform.seen.length
      expect({ ...answer, attempts: attempts > 2 ? 'many' : attempts }).toEqual({
        ok: false,
        message: expect.stringMatching(/\S/),
        ...end,
      })
      expect(new Set(platform.seen.map(({ envelope }) => envelope.jti)).size).toBe(attempts)
    })
  }
}

for (const retryClass of classes) {
  const operation = operationOf[retryClass]

  test(`a ${retryClass} call whose connection is refused is repeated until the platform is there`, async () => {
    await using platform = await ScriptedPlatform.start()
    platform.otherwise = { status: 200, body: goodBodies[operation] ?? '' }
    await platform.stop()
    await using agent = await startTestAgent(platform.url)
    agent.clock.onSleep = async () => {
      if (agent.clock.sleptMs.length === 3) await platform.listen()
    }
    expect(await agent.call(operation, goodInputs[operation])).toMatchObject({ ok: true })
    expect(agent.clock.sleptMs).toHaveLength(3)
    expect(platform.seen).toHaveLength(1)
  })

  test(`a ${retryClass} call to a platform that stays away ends with 503 at its deadline, certain that nothing was sent`, async () => {
    await using platform = await ScriptedPlatform.start()
    await platform.stop()
    await using agent = await startTestAgent(platform.url)
    const startedMs = agent.clock.monotonicMs()
    const answer = await agent.call(operation, goodInputs[operation])
    expect(answer).toEqual({
      ok: false,
      status: 503,
      code: 'NOT_REACHED',
      message: expect.stringContaining('nada foi enviado'),
    })
    expect(agent.clock.monotonicMs() - startedMs).toBeLessThan(30_000)
    expect(agent.clock.monotonicMs() - startedMs).toBeGreaterThan(20_000)
  })

  test(`a ${retryClass} call whose TLS handshake fails was not sent`, async () => {
    const server = createServer((socket) => socket.on('error', () => undefined).end('not TLS at all'))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    await using agent = await startTestAgent(`https://127.0.0.1:${(server.address() as AddressInfo).port}`)
    expect(await agent.call(operation, goodInputs[operation])).toEqual({
      ok: false,
      status: 503,
      code: 'NOT_REACHED',
      message: expect.any(String),
    })
    expect(agent.clock.sleptMs.length).toBeGreaterThan(2)
    server.close()
  })

  test(`a ${retryClass} call to a name that does not exist was not sent`, async () => {
    await using agent = await startTestAgent('https://market.invalid')
    expect(await agent.call(operation, goodInputs[operation])).toEqual({
      ok: false,
      status: 503,
      code: 'NOT_REACHED',
      message: expect.any(String),
    })
    expect(agent.clock.sleptMs.length).toBeGreaterThan(2)
  })

  test(`a redirect ends a ${retryClass} call with 502, and its target is never contacted`, async () => {
    await using target = await ScriptedPlatform.start()
    await using platform = await ScriptedPlatform.start()
    platform.otherwise = { status: 307, headers: { location: `${target.url}/v1/api/transactions` } }
    await using agent = await startTestAgent(platform.url)
    expect(await agent.call(operation, goodInputs[operation])).toEqual({
      ok: false,
      status: 502,
      code: 'REDIRECTED',
      message: expect.any(String),
    })
    expect(platform.seen).toHaveLength(1)
    expect(target.seen).toHaveLength(0)
  })

  test(`a ${retryClass} call without an answer ends with 504 in time`, async () => {
    await using platform = await ScriptedPlatform.start()
    await using agent = await startTestAgent(platform.url)
    platform.otherwise = { fault: 'silence', onRequest: () => agent.clock.advance(10_000) }
    const startedMs = agent.clock.monotonicMs()
    const answer = await agent.call(operation, goodInputs[operation])
    expect(answer).toMatchObject({ ok: false, status: 504 })
    expect(answer['uncertain']).toBe(retryClass === 'safe' ? undefined : true)
    expect(agent.clock.monotonicMs() - startedMs).toBeLessThanOrEqual(30_000 + 10_000)
    expect(platform.seen.length).toBe(retryClass === 'once' ? 1 : 3)
  })

  test(`401 with the clock off by an hour: a ${retryClass} call is signed again by the platform's clock`, async () => {
    await using platform = await ScriptedPlatform.start()
    await using agent = await startTestAgent(platform.url)
    const platformMs = agent.clock.wallMs() + 3_600_000
    const headers = { date: new Date(platformMs).toUTCString() }
    platform.steps.push({ status: 401, body: message('Assinatura expirada.'), headers })
    platform.otherwise = { status: 200, body: goodBodies[operation] ?? '', headers }
    expect(await agent.call(operation, goodInputs[operation])).toMatchObject({ ok: true })
    expect(platform.seen).toHaveLength(2)
    expect(agent.clock.sleptMs).toEqual([])
    expect(platform.seen[1]?.envelope.iat).toBeGreaterThanOrEqual(Math.floor(platformMs / 1000))
    expect(platform.seen[1]?.envelope.iat).toBeLessThanOrEqual(Math.floor(platformMs / 1000) + 2)
    expect(await agent.call(operation, goodInputs[operation])).toMatchObject({ ok: true })
    expect(platform.seen).toHaveLength(3)
  })

  test(`401 again after the clock was set is the answer of a ${retryClass} call`, async () => {
    await using platform = await ScriptedPlatform.start()
    await using agent = await startTestAgent(platform.url)
    let hours = 1
    Object.defineProperty(platform, 'otherwise', {
      get: () => ({
        status: 401,
        body: message('Não.'),
        headers: { date: new Date(agent.clock.wallMs() + 3_600_000 * hours++).toUTCString() },
      }),
    })
    expect(await agent.call(operation, goodInputs[operation])).toMatchObject({
      ok: false,
      status: 401,
      message: 'Não.',
    })
    expect(platform.seen.length).toBe(retryClass === 'once' ? 2 : 3)
  })
}

test('a row of the table contradicts itself nowhere', () => {
  for (const [fault, row] of Object.entries(faultTable)) {
    // What may have acted is in doubt for `once`, and nothing else is.
    expect([fault, row.once === 'doubt']).toEqual([fault, row.mayHaveActed])
    if (row.mayStillArrive) expect(row.mayHaveActed, fault).toBe(true)
    // What is stored is not tried again.
    if (row.isStored) expect([row.once, row.idempotent, row.safe], fault).toEqual(['refuse', 'refuse', 'refuse'])
  }
})
