import { type ExecFileOptions, execFile, spawn } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { outputsDir } from '../outputs/outputs.ts'

const root = join(import.meta.dirname, '..', '..')
const demo = join(root, 'scripts', 'demo.ts')
const options: ExecFileOptions = { cwd: root, env: { ...process.env, DEMO_LOG_DIR: outputsDir } }

for (const [what, args] of [
  ['from their source', []],
  ['as single files', ['--binary']],
] as const) {
  test(`a purchase, a refund, a repeated id, a refusal and a sale by files go through both programs ${what}`, async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [demo, ...args], { ...options, encoding: 'utf8' })
    expect(stdout).toMatch(/A purchase over HTTP[\s\S]+PAGO \/ ENTREGUE/)
    expect(stdout).toMatch(/An item that is gone[\s\S]+ESTORNADO \/ FALHOU/)
    expect(stdout).toContain('the first answer, no second purchase')
    expect(stdout).toMatch(/409 O itemRef/)
    expect(stdout).toMatch(/A purchase by files alone[\s\S]+PAGO \/ ENTREGUE[\s\S]+All went as it should\.\n$/)
  })
}

test('a demo whose platform loses everything ends with 1 and names the step', async () => {
  const child = spawn(process.execPath, [demo], { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
  let stdout = ''
  let stderr = ''
  let isReset = false
  child.stdout.on('data', (chunk) => {
    stdout += chunk
    const [, stubUrl] = /platform-stub at (\S+),/.exec(stdout) ?? []
    if (isReset || stubUrl === undefined || !stdout.includes('market.register')) return
    isReset = true
    void fetch(`${stubUrl}/stub/reset`, { method: 'POST' })
  })
  child.stderr.on('data', (chunk) => {
    stderr += chunk
  })
  const code = await new Promise((resolve) => child.on('exit', resolve))
  expect(stderr).toMatch(/The demo failed at step \d+, /)
  expect(code).toBe(1)
})
