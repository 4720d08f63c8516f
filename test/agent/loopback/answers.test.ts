import { expect, test } from 'vitest'
import { ScriptedPlatform } from '../fixtures/scripted-platform.ts'
import { goodBodies, goodInputs, startTestAgent } from '../fixtures/test-agent.ts'

/** The bytes of the agent's answer to one call that the platform answers like that. */
async function answerTo(operation: string, platformAnswer: { status: number; body: string }): Promise<string> {
  await using platform = await ScriptedPlatform.start([platformAnswer])
  await using agent = await startTestAgent(platform.url)
  const { text } = await agent.callText(JSON.stringify({ operation, input: goodInputs[operation], id: 'i' }))
  return text
}

test('a success has only ok, id and data, whatever the platform adds', async () => {
  const { data } = JSON.parse(goodBodies['market.eligibility'] ?? '') as { data: object }
  const body = JSON.stringify({ data, message: 'x', status: 1, meta: {} })
  expect(await answerTo('market.eligibility', { status: 200, body })).toBe(
    `{"ok":true,"id":"i","data":${JSON.stringify(data)}}`,
  )
})

test('a success without a result has data null', async () => {
  expect(await answerTo('market.withdraw', { status: 200, body: '' })).toBe('{"ok":true,"id":"i","data":null}')
})

test('a refusal has only ok, id, message and status, whatever the platform adds', async () => {
  const body = '{"message":"Não existe.","data":{},"code":"X","ok":true}'
  expect(await answerTo('transaction.get', { status: 404, body })).toBe(
    '{"ok":false,"id":"i","message":"Não existe.","status":404}',
  )
})
