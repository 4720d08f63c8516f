import { createHmac, randomBytes } from 'node:crypto'
import type { Random } from '../marketplace/random.ts'

/**
 * Unguessable without a seed. With one, every value follows only from seed, purpose and subject, so that neither the
 * order of requests nor a restart changes what a scenario sees.
 */
export function makeRandom(seed: string | null): Random {
  const bytes = (purpose: string, subject: string | number): Buffer =>
    seed === null ? randomBytes(32) : createHmac('sha256', seed).update(`${purpose}:${subject}`).digest()
  return {
    seed,
    token: (purpose, subject) => bytes(purpose, subject).toString('base64url'),
    uuid: (purpose, subject) => uuidOf(bytes(purpose, subject)),
  }
}

function uuidOf(bytes: Buffer): string {
  const hex = bytes.toString('hex')
  const variant = '89ab'[Number.parseInt(hex.charAt(16), 16) % 4]
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
