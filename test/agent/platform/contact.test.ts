import { expect, test } from 'vitest'
import type { PlatformCall } from '../../../agent/call/call.ts'
import { contactSign, readAttempt } from '../../../agent/call/read-attempt.ts'
import { type AttemptResult, NotBegunError } from '../../../agent/platform/attempt-result.ts'
import { operations } from '../../../contract/operations.ts'
import { goodBodies, goodInputs } from '../fixtures/test-agent.ts'

const call: PlatformCall = {
  id: undefined,
  operationName: 'market.eligibility',
  operation: operations['market.eligibility'],
  input: goodInputs['market.eligibility'] ?? {},
}

const answered = (status: number, body: string): AttemptResult => ({
  kind: 'answered',
  status,
  date: undefined,
  retryAfter: undefined,
  body: Buffer.from(body),
})

const route = { baseUrl: 'https://api.example', proxy: undefined, signer: () => ({ kid: 'k', fingerprint: 'f' }) }
const refusal = '{"message":"Personagem não encontrado."}'
const page = '<!doctype html><title>Bem-vindo</title>'

/** What came back, and whether it proves that calls go through. */
const rows: Readonly<Record<string, readonly [sent: AttemptResult, isProof: boolean]>> = {
  'a success': [answered(200, goodBodies['market.eligibility'] ?? ''), true],
  'a refusal in the interface’s form': [answered(409, refusal), true],
  'a web page': [answered(200, page), false],
  'a web page that is not there': [answered(404, page), false],
  'a 404 in the interface’s form, which may be a wrong address,': [answered(404, refusal), false],
  'a redirect': [answered(302, ''), false],
  'a refused key or signature': [answered(401, refusal), false],
  'a platform that is not well': [answered(503, refusal), false],
  'no answer': [{ kind: 'failed', wasSent: true, cause: new Error('reset') }, false],
}

for (const [what, [sent, isProof]] of Object.entries(rows)) {
  test(`${what} ${isProof ? 'proves' : 'does not prove'} that calls go through`, () => {
    const sign = contactSign(sent, readAttempt(call, sent), 'right', route)
    expect(sign).toMatchObject({ kind: isProof ? 'proof' : expect.stringMatching('problem|not-found') })
  })
}

test('an attempt that the host held up until its time was over says nothing about the way to the platform', () => {
  const held: AttemptResult = { kind: 'failed', wasSent: false, cause: new NotBegunError('no signature within 1 ms') }
  const reading = readAttempt(call, held)
  expect(contactSign(held, reading, 'right', route)).toBeUndefined()
  expect(reading.answer).toMatchObject({ messageText: expect.stringContaining('O tempo da chamada acabou') })
})
