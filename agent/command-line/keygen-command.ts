import { closeSync, openSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { exportPKCS8, exportSPKI, generateKeyPair } from 'jose'
import writeFileAtomic from 'write-file-atomic'
import { limits } from '../../contract/limits.ts'
import { hostFiles } from '../durable-files/host-files.ts'
import { makeMissingDirs } from '../durable-files/make-dir.ts'
import { codeOf, cureOf, problemOf } from '../durable-files/system-errors.ts'
import { asSentence } from '../language/problem.ts'
import { say } from '../language/say.ts'
import { readSigningKey } from '../signing/signing-key.ts'
import { exitCodes } from './exit-codes.ts'

/** `market-agent keygen`: writes a new signing key and says what the platform's staff need to register it. */
export async function keygen({ out, kid }: { out: string; kid?: string }): Promise<void> {
  const dir = resolve(out)
  const files = { private: join(dir, 'signing-key.pem'), public: join(dir, 'signing-key-public.pem') }
  const { privateKey, publicKey } = await generateKeyPair('RS256', {
    modulusLength: limits.signingKeyBitsMin,
    extractable: true,
  })
  const privatePem = `${(await exportPKCS8(privateKey)).trim()}\n`
  const publicPem = `${(await exportSPKI(publicKey)).trim()}\n`
  try {
    makeMissingDirs(hostFiles, dir, 0o700)
    writeNewFiles([
      { path: files.private, text: privatePem, mode: 0o600 },
      { path: files.public, text: publicPem, mode: 0o644 },
    ])
  } catch (error) {
    process.stderr.write(`market-agent keygen: ${sentenceAbout(error as NodeJS.ErrnoException)}\n`)
    process.exitCode = exitCodes.refused
    return
  }
  const { fingerprint } = readSigningKey(privatePem, '')
  const sent = [
    [say`the file`, files.public],
    ['kid', kid ?? say`the staff choose one`],
    [say`fingerprint`, say`${fingerprint} (SHA-256 of the public key)`],
  ] as const
  const width = Math.max(...sent.map(([name]) => name.length))
  const lines = [
    say`Private key, only for this host: ${files.private}`,
    `  SERVICE_SIGNING_KEY_FILE=${files.private}`,
    `  SERVICE_SIGNING_KID=${kid ?? say`the kid that the staff tell you`}`,
    say`Send to the platform's staff, over a way that they trust:`,
    ...sent.map(([name, value]) => `  ${name.padEnd(width)}  ${value}`),
  ]
  process.stdout.write(`${lines.join('\n')}\n`)
}

interface NewFile {
  readonly path: string
  readonly text: string
  readonly mode: number
}

/**
 * Writes all files or none. An existing file is never replaced: the name of each one is taken before any is written.
 *
 * @throws {NodeJS.ErrnoException}
 */
function writeNewFiles(files: readonly NewFile[]): void {
  const taken: string[] = []
  try {
    for (const { path, mode } of files) {
      closeSync(openSync(path, 'wx', mode))
      taken.push(path)
    }
    for (const { path, text, mode } of files) writeFileAtomic.sync(path, text, { mode })
  } catch (error) {
    for (const path of taken) rmSync(path, { force: true })
    throw error
  }
}

function sentenceAbout(error: NodeJS.ErrnoException): string {
  const { path = '' } = error
  return codeOf(error) === 'EEXIST'
    ? say`${path} is there already, and a key is never overwritten. Choose another directory`
    : `${say`cannot write ${path}: ${problemOf(error)} (${codeOf(error)})`}. ${asSentence(cureOf(error))}`
}
