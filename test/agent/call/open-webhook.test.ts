import { expect, test } from 'vitest'
import { webhookOpener } from '../../../agent/call/open-webhook.ts'
import { PlatformClock } from '../../../agent/platform/platform-clock.ts'
import { rsaSigning } from '../../../agent/signing/rsa-signing.ts'
import { TestClock } from '../fixtures/test-clock.ts'
import { platformKeys, signWebhook } from '../fixtures/webhook-sender.ts'

test('a webhook passes until 30 s after its exp, and not longer', async () => {
  const clock = new TestClock()
  const platformClock = new PlatformClock(clock, () => undefined)
  const open = webhookOpener(
    () => platformKeys,
    platformClock,
    { learnClock: async () => undefined },
    clock,
    rsaSigning.check,
  )
  const body = '{"event":"transfer_order"}'
  const openPast = async (seconds: number) => {
    const signature = await signWebhook(body, Math.round(clock.wallMs() / 1_000) - seconds)
    const opening = await open.open({ headerLines: [signature], body: Buffer.from(body) })
    return opening.ok || opening.step
  }
  expect(await openPast(-300)).toBe(true)
  expect(await openPast(29)).toBe(true)
  expect(await openPast(30)).toBe('expiry')
})
