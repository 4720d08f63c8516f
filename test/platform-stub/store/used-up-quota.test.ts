import { join } from 'node:path'
import { expect, test } from 'vitest'
import { canTrace } from '../../crash/system-calls.ts'
import { serveUnder, temporaryFolder } from '../fixtures/process.ts'

/**
 * From the n-th write on, each write of SQLite to the write-ahead log fails with this error; so does each write next to
 * it.
 */
function failingWrites(folder: string, error: string, nth: number): readonly string[] {
  const inject = ['-e', `inject=pwrite64:error=${error}:when=${nth}+`, '-e', `inject=write:error=${error}`]
  const files = ['platform.db-wal', 'platform.db-probe'].flatMap((name) => ['-P', join(folder, name)])
  return [
    'strace',
    '-D',
    '-f',
    '-qq',
    '--seccomp-bpf',
    '-o',
    '/dev/null',
    ...files,
    '-e',
    'trace=pwrite64,write',
    ...inject,
  ]
}

const writesBefore = 40

/** Registers game servers until one is refused. */
async function registerUntilRefused(request: (body: object) => Promise<{ status: number }>) {
  for (let n = 1; n <= writesBefore; n++) {
    const answer = await request({ name: `server-${n}` })
    if (answer.status !== 200) return answer
  }
  throw new Error('every registration was stored')
}

test.skipIf(!canTrace())('a used-up disk quota is a full disk: requests are refused and nothing ends', async () => {
  await using folder = await temporaryFolder()
  await using stub = await serveUnder(failingWrites(folder.path, 'EDQUOT', writesBefore), '--data-dir', folder.path)
  const { control } = stub
  const refused = await registerUntilRefused((body) => control.request('POST', '/stub/game-servers', body))
  expect(refused).toMatchObject({ status: 500, message: expect.stringContaining('não conseguiu gravar') })
  expect((await control.request('GET', '/stub/game-servers')).status).toBe(200)
  expect((await stub.signal('SIGTERM')).code).toBe(0)
})

test.skipIf(!canTrace())('a disk that fails to write ends the stub', async () => {
  await using folder = await temporaryFolder()
  await using stub = await serveUnder(failingWrites(folder.path, 'EIO', writesBefore), '--data-dir', folder.path)
  const { control } = stub
  const registered = registerUntilRefused((body) => control.request('POST', '/stub/game-servers', body))
  await expect(registered).rejects.toThrow()
  expect((await stub.ended).code).toBe(1)
})
