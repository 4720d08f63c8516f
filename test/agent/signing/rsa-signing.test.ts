import fc from 'fast-check'
import { expect, test } from 'vitest'
import { rsaSigning } from '../../../agent/signing/rsa-signing.ts'
import { sealEnvelope } from '../../../contract/envelope/seal.ts'
import { testKeysOf } from '../../vectors/test-keys.ts'

test('the agent signs byte for byte as jose does', async () => {
  const { privateKey } = testKeysOf('game-server')
  const header = fc.record({
    alg: fc.constant('RS256' as const),
    kid: fc.string(),
    jti: fc.uuid(),
    iat: fc.nat(),
    exp: fc.nat(),
    htm: fc.constantFrom('GET', 'POST', 'PUT'),
    htu: fc.webUrl(),
  })
  await fc.assert(
    fc.asyncProperty(header, fc.uint8Array({ maxLength: 500 }), async (protectedHeader, body) => {
      const byJose = await sealEnvelope(protectedHeader, body, privateKey)
      expect(await rsaSigning.seal(protectedHeader, body, privateKey)).toBe(byJose)
    }),
    { numRuns: 50 },
  )
})
