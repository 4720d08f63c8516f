import { createHash, createPrivateKey, createPublicKey, generateKeyPair, type KeyObject } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { limits } from '../../contract/limits.ts'

const generatePair = promisify(generateKeyPair)

/** What a prober signs with. */
export interface ProbeKey {
  readonly kid: string
  readonly privateKey: KeyObject
  /** Another one, which no receiver was told of. */
  readonly strangerKey: KeyObject
  /** Where the receiver has the public half from, for the person who configures it. */
  readonly origin: string
}

/** The prober has no key, or no receiver to send to. */
export class ProbeError extends Error {
  override readonly name = 'ProbeError'
}

/**
 * The prober's own pair, kept in a folder so that a receiver is told of it once; made at the first run.
 *
 * @throws {ProbeError} What lies there is no RSA private key.
 */
export async function keyInFolder(folder: string): Promise<ProbeKey> {
  const privateKeyFile = join(resolve(folder), 'private-key.pem')
  const publicKeyFile = join(resolve(folder), 'public-key.pem')
  if (!existsSync(privateKeyFile)) {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const pem = (await newPrivateKey()).export({ type: 'pkcs8', format: 'pem' })
    writeFileSync(privateKeyFile, pem, { mode: 0o600, flag: 'wx' })
  }
  const privateKey = rsaKeyOf(readFileSync(privateKeyFile, 'utf8'), privateKeyFile)
  writeFileSync(publicKeyFile, publicKeyPemOf(privateKey))
  const kid = `probe-${thumbprintOf(privateKey).slice(0, 8)}`
  return { kid, privateKey, strangerKey: await newPrivateKey(), origin: publicKeyFile }
}

/**
 * The key of a running stub, which its receivers know already.
 *
 * @throws {ProbeError} No stub answers there.
 */
export async function keyOfStub(stubUrl: string): Promise<ProbeKey> {
  const { kid, privateKeyPem } = await askStub(stubUrl)
  const privateKey = rsaKeyOf(privateKeyPem, stubUrl)
  return { kid, privateKey, strangerKey: await newPrivateKey(), origin: `as provisioned by ${stubUrl}` }
}

async function askStub(stubUrl: string): Promise<{ readonly kid: string; readonly privateKeyPem: string }> {
  try {
    const { data } = (await (await fetch(`${stubUrl}/stub/platform-key`)).json()) as {
      data: { kid: string; privateKeyPem: string }
    }
    return data
  } catch (cause) {
    throw new ProbeError(`no platform-stub answers at ${stubUrl}; start one with \`platform-stub serve\``, { cause })
  }
}

/** SPKI, as the platform gives it out. */
export function publicKeyPemOf(privateKey: KeyObject): string {
  return createPublicKey(privateKey).export({ type: 'spki', format: 'pem' }).toString()
}

async function newPrivateKey(): Promise<KeyObject> {
  return (await generatePair('rsa', { modulusLength: limits.signingKeyBitsMin })).privateKey
}

function rsaKeyOf(pem: string, from: string): KeyObject {
  try {
    const key = createPrivateKey(pem)
    if (key.asymmetricKeyType === 'rsa') return key
  } catch {
    // No key at all: said like an unfit one, and nothing of it is shown.
  }
  throw new ProbeError(`${from} has no RSA private key; move it away or choose another --key-dir`)
}

/** Names a key by its public half. */
function thumbprintOf(privateKey: KeyObject): string {
  const publicKey = createPublicKey(privateKey).export({ type: 'spki', format: 'der' })
  return createHash('sha256').update(publicKey).digest('base64url')
}
