import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readPlatformKey, readSigningKey } from '../../agent/signing/signing-key.ts'

const guide = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'en', 'operations', 'signing-key.md'), 'utf8')

/** The commands of the guide that contain a text. */
function commandsWith(text: string): string {
  const blocks = [...guide.matchAll(/```sh\n(.*?)```/gs)].map(([, block = '']) => block)
  return blocks.find((block) => block.includes(text)) ?? ''
}

test("the operators' guide makes a key pair that the agent takes, and prints its fingerprint", () => {
  const dir = mkdtempSync(join(tmpdir(), 'market-agent-guide-'))
  const run = (commands: string) => execFileSync('sh', ['-ec', commands], { cwd: dir, encoding: 'utf8', stdio: 'pipe' })
  run(commandsWith('openssl genpkey'))
  const privatePem = readFileSync(join(dir, 'signing-key.pem'), 'utf8')
  expect(statSync(join(dir, 'signing-key.pem')).mode & 0o777).toBe(0o600)
  expect(readPlatformKey(readFileSync(join(dir, 'signing-key-public.pem'), 'utf8')).type).toBe('public')
  expect(run(commandsWith('openssl dgst')).trim()).toBe(readSigningKey(privatePem, 'kid').fingerprint)
  rmSync(dir, { recursive: true })
})
