import { spawnSync } from 'node:child_process'
import { sign, verify } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readPlatformKey, readSigningKey } from '../../../agent/signing/signing-key.ts'
import { agentProgram } from '../../programs/our-programs.ts'

const [node = '', ...program] = agentProgram()
const env = { PATH: process.env['PATH'] }

function setup() {
  const dir = mkdtempSync(join(tmpdir(), 'market-agent-keygen-'))
  const keygen = (...args: string[]) =>
    spawnSync(node, [...program, 'keygen', ...args], { encoding: 'utf8', env, timeout: 60_000 })
  return { dir, keygen, [Symbol.dispose]: () => rmSync(dir, { recursive: true, force: true }) }
}

test('a new pair signs, only its owner reads the private half, and the text says what the staff need', () => {
  using ready = setup()
  const out = join(ready.dir, 'new', 'keys')
  const { status, stdout, stderr } = ready.keygen('--out', out, '--kid', 'my-server-2026')
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  expect(readdirSync(out).sort()).toEqual(['signing-key-public.pem', 'signing-key.pem'])
  expect(statSync(join(out, 'signing-key.pem')).mode & 0o777).toBe(0o600)
  const own = readSigningKey(readFileSync(join(out, 'signing-key.pem'), 'utf8'), 'my-server-2026')
  const publicKey = readPlatformKey(readFileSync(join(out, 'signing-key-public.pem'), 'utf8'))
  const text = Buffer.from('signed')
  expect(verify('sha256', text, publicKey, sign('sha256', text, own.privateKey))).toBe(true)
  expect(publicKey.asymmetricKeyDetails?.modulusLength).toBe(2048)
  for (const part of [own.fingerprint, 'my-server-2026', join(out, 'signing-key-public.pem')])
    expect(stdout).toContain(part)
  expect(stdout).toContain(`SERVICE_SIGNING_KEY_FILE=${join(out, 'signing-key.pem')}\n`)
  expect(stdout).not.toContain('-----')
})

test.each(['signing-key.pem', 'signing-key-public.pem'])('an existing %s is never overwritten', (name) => {
  using ready = setup()
  writeFileSync(join(ready.dir, name), 'in use')
  const { status, stdout, stderr } = ready.keygen('--out', ready.dir)
  expect({ status, stdout }).toEqual({ status: 1, stdout: '' })
  expect(stderr).toContain(`${join(ready.dir, name)} is there already`)
  expect(readdirSync(ready.dir)).toEqual([name])
  expect(readFileSync(join(ready.dir, name), 'utf8')).toBe('in use')
})

test('a directory that cannot be made, and a kid that no header carries, are refused with their cure', () => {
  using ready = setup()
  writeFileSync(join(ready.dir, 'file'), '')
  expect(ready.keygen('--out', join(ready.dir, 'file', 'keys'))).toMatchObject({
    status: 1,
    stderr: expect.stringContaining(
      'a file is where a directory must be (ENOTDIR). Move away that file, or name another directory',
    ),
  })
  expect(ready.keygen('--out', ready.dir, '--kid', 'my server')).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('without spaces'),
  })
  expect(ready.keygen()).toMatchObject({ status: 2, stderr: expect.stringContaining('--out') })
})

test.skipIf(process.platform !== 'linux')(
  'where the system makes no directory at all, the command ends and says so',
  () => {
    using ready = setup()
    expect(ready.keygen('--out', '/proc/keys')).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/cannot write \/proc\/keys.*\. [A-Z]/),
    })
  },
)
