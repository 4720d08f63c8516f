import { generateKeyPairSync, sign } from 'node:crypto'

const probeS = 0.04
/** As long as an envelope's signing input with a small body. */
const signingInput = Buffer.alloc(400, 'e')
const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 })

/** S: the CPU µs of one RSA-2048 signature at this moment. Nothing else should run meanwhile. */
export function measureSignatureUs(): number {
  const endMs = performance.now() + probeS * 1_000
  const before = process.cpuUsage()
  let count = 0
  for (; performance.now() < endMs; count++) sign('sha256', signingInput, privateKey)
  const { user, system } = process.cpuUsage(before)
  return (user + system) / count
}
