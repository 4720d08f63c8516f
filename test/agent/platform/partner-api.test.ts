import { expect, test } from 'vitest'
import { StoreUnreachableError } from '../../../agent/database/store-errors.ts'
import { Contact } from '../../../agent/platform/contact.ts'
import { partnerApi } from '../../../agent/platform/partner-api.ts'
import { PlatformClock } from '../../../agent/platform/platform-clock.ts'
import { readSigningKey } from '../../../agent/signing/signing-key.ts'
import { operations, requestOf } from '../../../contract/operations.ts'
import { testKeysOf } from '../../vectors/test-keys.ts'
import { TestClock } from '../fixtures/test-clock.ts'

const operation = operations['market.adjust-stock']
const request = requestOf(operation, { itemRef: 'sword-1', observedQuantity: 3 })

/** Sends nothing and takes some time to sign. */
function silentApi(signingMs: number) {
  const clock = new TestClock()
  const pem = testKeysOf('game-server').privateKey.export({ type: 'pkcs8', format: 'pem' }) as string
  return partnerApi({
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
        clock.advance(signingMs)
        return 'header..signature'
      },
    },
  })
}

test('an attempt whose process was paused while it was signed is not sent', async () => {
  const attempt = silentApi(10_000).attempt(operation, request, 10_000)
  expect(await attempt).toMatchObject({ kind: 'failed', wasSent: false })
})

test('an attempt that may not begin any more after it was signed is not sent', async () => {
  const attempt = silentApi(5).attempt(operation, request, 10_000, () => {
    throw new StoreUnreachableError('the lease was not renewed in time')
  })
  await expect(attempt).rejects.toThrow(StoreUnreachableError)
})
