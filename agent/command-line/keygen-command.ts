import { closeSync, openSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { exportPKCS8, exportSPKI, generateKeyPair } from 'jose'
import writeFileAtomic from 'write-file-atomic'
import { limits } from '../../contract/limits.ts'
import { hostFiles } from '../durable-files/host-files.ts'
import { makeMissingDirs } from '../durable-files/make-dir.ts'
import { causeOf, codeOf, cureOf } from '../durable-files/system-errors.ts'
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
    process.stderr.write(`market-agent keygen: ${problemOf(error as NodeJS.ErrnoException)}\n`)
    process.exitCode = exitCodes.refused
    return
  }
  process.stdout.write(`Private key, only for this host: ${files.private}
  SERVICE_SIGNING_KEY_FILE=${files.private}
  SERVICE_SIGNING_KID=${kid ?? 'the kid that the staff tell you'}
Send to the platform's staff, over a way that they trust:
  the file     ${files.public}
  kid          ${kid ?? 'the staff choose one'}
  fingerprint  ${readSigningKey(privatePem, '').fingerprint} (SHA-256 of the public key)
`)
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

function problemOf(error: NodeJS.ErrnoException): string {
  return codeOf(error) === 'EEXIST'
    ? `${error.path} is there already, and a key is never overwritten. Choose another directory`
    : `${causeOf(error)}. Cure: ${cureOf(error)}`
}
