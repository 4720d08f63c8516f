import { join } from 'node:path'
import { expect, test } from 'vitest'
import { outputsDir } from '../outputs/outputs.ts'
import { runProgram, spawnProgram } from '../programs/program.ts'

const root = join(import.meta.dirname, '..', '..')
const demo = join(root, 'scripts', 'demo.ts')
const options = { cwd: root, env: { ...process.env, DEMO_LOG_DIR: outputsDir } }

for (const [what, args] of [
  ['from their source', []],
  ['as single files', ['--binary']],
] as const) {
  test(`a sale in each of the three ways, a refund, a repeated id and a refusal go through both programs ${what}`, async () => {
    const { code, stdout } = await runProgram([process.execPath, demo, ...args], options)
    expect(code).toBe(0)
    expect(stdout).toMatch(
      /A purchase over HTTP[\s\S]+the reply: DELIVERED, 1 left\n.+reports DELIVERED +PAGO \/ ENTREGUE\n.+transaction_terminal +CONCLUIDA/,
    )
    expect(stdout).toMatch(
      /An item that is gone[\s\S]+the reply: OUT_OF_STOCK, 0 left\n.+reports OUT_OF_STOCK +ESTORNADO \/ FALHOU\n.+transaction_terminal +ESTORNADA/,
    )
    expect(stdout).toContain('the first answer, no second purchase')
    expect(stdout).toMatch(/409 O itemRef/)
    expect(stdout).toMatch(
      /A purchase with files only[\s\S]+PAGO \/ ENTREGUE\n.+events\/ has the terminal event +CONCLUIDA/,
    )
    expect(stdout).toMatch(
      /A purchase by asking[\s\S]+PAGO \/ ENTREGUE\n.+orders\.open has the outcome +CONCLUIDA\n\nAll went as it should\.\n$/,
    )
    expect(stdout.split('\n').filter((line) => line.length > 160)).toEqual([])
  })
}

test('a demo whose platform refuses every purchase ends with 1 and names the step', async () => {
  await using program = spawnProgram([process.execPath, demo, '--binary'], options)
  const [, stubUrl] = await program.printed(/platform-stub at (\S+),/)
  // The stub is there before the game servers, whose programs take longer to start than this.
  await fetch(`${stubUrl}/stub/faults`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ kind: 'status', status: 409, operation: 'transaction.create', times: 1_000 }),
  })
  expect((await program.ended).code).toBe(1)
  expect(program.stderr()).toMatch(/The demo failed at step \d+, transaction\.create: /)
})
