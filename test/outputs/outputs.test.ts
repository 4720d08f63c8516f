import { generateKeyPairSync } from 'node:crypto'
import { expect, test } from 'vitest'
import { sealEnvelope } from '../../contract/envelope/seal.ts'
import { secretsIn } from './outputs.ts'

test('the search for secrets finds a named value, a key and a signature, and nothing in a clean log line', async () => {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const header = { alg: 'RS256', kid: 'k', jti: 'j', iat: 1, exp: 2 } as const
  const signature = await sealEnvelope(header, Buffer.from('{}'), privateKey)
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' })
  expect(secretsIn('{"apiKey":"s3cret"}', ['s3cret'])).toEqual(['s3cret'])
  expect(secretsIn(`{"err":"${pem}"}`, [])).toEqual(['-----BEGIN PRIVATE KEY-----'])
  expect(secretsIn(`{"headers":["X-Platform-Signature","${signature}"]}`, [])).toHaveLength(1)
  expect(secretsIn('{"kid":"k","msg":"call answered","id":"dlv-91"}', ['s3cret'])).toEqual([])
})
