import { expect, test } from 'vitest'
import { Contact } from '../../../agent/platform/contact.ts'
import { partnerApi } from '../../../agent/platform/partner-api.ts'
import { PlatformClock } from '../../../agent/platform/platform-clock.ts'
import { readSigningKey } from '../../../agent/signing/signing-key.ts'
import { operations, requestOf } from '../../../contract/operations.ts'
import { testKeysOf } from '../../vectors/test-keys.ts'
import { TestClock } from '../fixtures/test-clock.ts'

test('an attempt whose process was paused while it was signed is not sent', async () => {
  const clock = new TestClock()
  const pem = testKeysOf('game-server').privateKey.export({ type: 'pkcs8', format: 'pem' }) as string
  const api = partnerApi({
    route: { baseUrl: 'http://127.0.0.1:1', proxy: undefined },
    credentials: () => ({ apiKey: 'key', signingKey: readSigningKey(pem, 'k') }),
    attemptTimeoutMs: 10_000,
    userAgent: 'test',
    clock,
    connection: { send: () => expect.unreachable(), close: async () => undefined },
    platformClock: new PlatformClock(clock, () => undefined),
    contact: new Contact(clock, () => undefined),
    newJti: () => 'jti',
    signing: {
      async seal() {
        clock.advance(10_000)
        return 'header..signature'
      },
    },
  })
  const operation = operations['market.adjust-stock']
  const request = requestOf(operation, { itemRef: 'sword-1', observedQuantity: 3 })
  expect(await api.attempt(operation, request, 10_000)).toMatchObject({ kind: 'failed', wasSent: false })
})
