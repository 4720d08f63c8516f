import { createHash, createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import writeFileAtomic from 'write-file-atomic'
import * as z from 'zod/mini'
import type { Clock } from '../../clock/clock.ts'
import { newRsaPair, privateKeyPemOf, publicKeyPemOf } from '../../server/rsa-signing.ts'
import { UserError } from '../../user-error.ts'
import { askStub } from '../ask-stub.ts'

/** The key that a prober signs with. */
export interface ProbeKey {
  readonly kid: string
  readonly privateKey: KeyObject
  /** Another key, which no receiver knows. */
  readonly strangerKey: KeyObject
  /** Where to find the public half, for the person who configures the receiver. */
  readonly origin: string
  /** Offset of the time in the signatures, for a stub whose clock travels. */
  readonly clockOffsetMs: number
}

/** The prober has no usable key. */
class ProbeError extends UserError {
  override readonly name = 'ProbeError'
}

/**
 * The prober's own key pair. It is made at the first run and kept in a folder, so that a receiver is configured once.
 *
 * @throws {ProbeError} The folder cannot be used, or the file there has no RSA private key.
 */
export async function keyInFolder(folder: string): Promise<ProbeKey> {
  const privateKeyFile = join(resolve(folder), 'private-key.pem')
  const publicKeyFile = join(resolve(folder), 'public-key.pem')
  const privateKey = await usingFolder(folder, async () => {
    if (!existsSync(privateKeyFile)) {
      mkdirSync(folder, { recursive: true, mode: 0o700 })
      writeFileAtomic.sync(privateKeyFile, privateKeyPemOf(await newPrivateKey()), { mode: 0o600 })
    }
    const own = rsaKeyOf(readFileSync(privateKeyFile, 'utf8'), privateKeyFile)
    writeFileAtomic.sync(publicKeyFile, publicKeyPemOf(createPublicKey(own)), { mode: 0o644 })
    return own
  })
  const kid = `probe-${thumbprintOf(privateKey).slice(0, 8)}`
  return { kid, privateKey, strangerKey: await newPrivateKey(), origin: publicKeyFile, clockOffsetMs: 0 }
}

async function usingFolder<Result>(folder: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (cause) {
    if (!(cause instanceof Error && 'code' in cause)) throw cause
    throw new ProbeError(`${folder} cannot keep the prober's key: ${cause.message}; choose another --key-dir`, {
      cause,
    })
  }
}

/**
 * The key of a running stub, which its receivers know already. Its signatures follow that stub's clock.
 *
 * @throws {AskStubError} Of `askStub`.
 * @throws {ProbeError} It has no RSA private key.
 */
export async function keyOfStub(stubUrl: string, clock: Clock): Promise<ProbeKey> {
  const platformKey = z.object({ kid: z.string(), privateKeyPem: z.string() })
  const { data, dateMs } = await askStub(stubUrl, '/stub/platform-key', platformKey)
  return {
    kid: data.kid,
    privateKey: rsaKeyOf(data.privateKeyPem, stubUrl),
    strangerKey: await newPrivateKey(),
    origin: `as provisioned by ${stubUrl}`,
    clockOffsetMs: dateMs - clock.nowMs(),
  }
}

async function newPrivateKey(): Promise<KeyObject> {
  return (await newRsaPair()).privateKey
}

function rsaKeyOf(pem: string, from: string): KeyObject {
  try {
    const key = createPrivateKey(pem)
    if (key.asymmetricKeyType === 'rsa') return key
  } catch {
    // Not a key: reported like a wrong key, without showing its content.
  }
  throw new ProbeError(`${from} has no RSA private key; move it away or choose another --key-dir`)
}

/** The kid of a key, made from its public half. */
function thumbprintOf(privateKey: KeyObject): string {
  const publicKey = createPublicKey(privateKey).export({ type: 'spki', format: 'der' })
  return createHash('sha256').update(publicKey).digest('base64url')
}
