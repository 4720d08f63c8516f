import { type KeyObject, sign } from 'node:crypto'
import { availableParallelism } from 'node:os'

/** What RSA costs on this machine at this moment. */
export interface SignatureSpeed {
  readonly perS: number
  /** CPU µs of one signature. */
  readonly cpuUs: number
}

/** As long as an envelope's signing input with a small body. */
const signingInput = Buffer.alloc(400, 'e')

/** Signs in place, on one core, for `seconds`. Its CPU is S. Nothing else should be under way meanwhile. */
export function measureInPlace(key: KeyObject, seconds: number): Promise<SignatureSpeed> {
  return measure(seconds, async (endMs) => signInPlace(key, endMs))
}

/** Signs on the thread pool, every core at work, for `seconds`. */
export function measureOnPool(key: KeyObject, seconds: number): Promise<SignatureSpeed> {
  return measure(seconds, (endMs) => signOnPool(key, endMs))
}

async function measure(seconds: number, signUntil: (endMs: number) => Promise<number>): Promise<SignatureSpeed> {
  const startMs = performance.now()
  const cpuBefore = process.cpuUsage()
  const count = await signUntil(startMs + seconds * 1_000)
  const { user, system } = process.cpuUsage(cpuBefore)
  return { perS: (count * 1_000) / (performance.now() - startMs), cpuUs: (user + system) / count }
}

function signInPlace(key: KeyObject, endMs: number): number {
  let count = 0
  for (; performance.now() < endMs; count++) sign('sha256', signingInput, key)
  return count
}

async function signOnPool(key: KeyObject, endMs: number): Promise<number> {
  let count = 0
  async function signUntilTheEnd(): Promise<void> {
    for (; performance.now() < endMs; count++) await signedOnPool(key)
  }
  await Promise.all(Array.from({ length: 2 * availableParallelism() }, signUntilTheEnd))
  return count
}

function signedOnPool(key: KeyObject): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    sign('sha256', signingInput, key, (error, signature) => (error ? reject(error) : resolve(signature)))
  })
}
