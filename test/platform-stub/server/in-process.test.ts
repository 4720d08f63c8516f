import { createPrivateKey } from 'node:crypto'
import pino from 'pino'
import { expect, test } from 'vitest'
import { requestOf as inputOf, operations, type PlatformOperationName } from '../../../contract/operations.ts'
import { headOf } from '../../../platform-stub/http/answer.ts'
import { requestOf } from '../../../platform-stub/http/http-request.ts'
import { setCharacter } from '../../../platform-stub/marketplace/characters/accounts.ts'
import { registerGameServer } from '../../../platform-stub/marketplace/game-servers/register.ts'
import { orThrow } from '../../../platform-stub/marketplace/refusal.ts'
import { defaultSettings } from '../../../platform-stub/marketplace/settings.ts'
import { moveByHand } from '../../../platform-stub/marketplace/transactions/purchase.ts'
import { composePlatform } from '../../../platform-stub/server/compose-platform.ts'
import { makeRandom } from '../../../platform-stub/server/random.ts'
import { openDatabase } from '../../../platform-stub/store/open.ts'
import type { WebhookPost } from '../../../platform-stub/webhooks/webhook-post.ts'
import { cheapSigning } from '../fixtures/cheap-signing.ts'
import { offer } from '../fixtures/stub.ts'
import { virtualTime } from '../fixtures/virtual-time.ts'

/** The whole platform in this process, with a game server that answers webhooks 10 s late at first, and in time later. */
async function startWorld(seed: string) {
  const { time, pass } = virtualTime()
  const trace: unknown[] = []
  const database = openDatabase(null)
  const composed = composePlatform({
    database,
    settings: { ...defaultSettings, completionDelayMs: 60_000 },
    time,
    random: makeRandom(seed),
    signing: cheapSigning,
    makeLog: () => pino({ enabled: false }),
    publicUrl: 'http://platform.invalid',
    onFatal(error) {
      throw error
    },
    post: (webhook: WebhookPost) =>
      new Promise((resolve) => {
        const { signal: _, ...sent } = webhook
        trace.push({ atMs: time.nowMs(), sent })
        const isLate = trace.length < 12
        time.setTimer(isLate ? webhook.timeoutMs : 20, () =>
          resolve(
            isLate
              ? { kind: 'failure', failure: 'timeout' }
              : { kind: 'answer', status: 200, headers: [], body: '{"observedQuantity":5}' },
          ),
        )
      }),
  })
  const { platform, directory } = composed
  composed.schedule.start()
  const registration = { name: 'Aurora', webhookUrl: 'http://game.invalid/webhook' }
  const server = orThrow(await registerGameServer(platform, directory, await composed.platformKey(), registration))
  const approved = { linked: true, recipientApproved: true }
  orThrow(platform.transact(() => setCharacter(platform, server.gameServerId, 'seller', approved)))
  const key = createPrivateKey(server.privateKeyPem ?? '')
  let calls = 0

  async function call(name: PlatformOperationName, input: Record<string, unknown>) {
    const { method, path, body } = inputOf(operations[name], input)
    const iat = Math.floor(time.nowMs() / 1_000)
    const header = { alg: 'RS256' as const, kid: server.kid, jti: `jti-${++calls}`, iat, exp: iat + 300 }
    const bytes = Buffer.from(body)
    const signature = await cheapSigning.seal(header, bytes, key)
    const rawHeaders = ['Content-Type', 'application/json', 'Content-Length', String(bytes.length)]
    rawHeaders.push('X-Platform-Signature', signature, 'X-Service-Api-Key', server.apiKey)
    const readBody = () => Promise.resolve(bytes)
    const answer = await composed.answerPartner(
      requestOf({ method, target: path, rawHeaders, remoteAddress: '', readBody }),
    )
    trace.push({ name, status: answer.status, head: headOf(answer, composed.clock.nowMs()), body: answer.body })
    return JSON.parse(String(answer.body) || '{}').data
  }

  return {
    composed,
    trace,
    pass,
    call,
    pay: (id: number) => orThrow(platform.transact(() => moveByHand(platform, id, 'pay'))),
    async end() {
      await composed.stop()
      database.close()
    },
  }
}

/** Four purchases: delivered, put off, never paid, out of stock. */
async function buyFour(seed: string) {
  const { composed, trace, pass, call, pay, end } = await startWorld(seed)
  await call('market.register', { ...offer, sellerCharacterRef: 'seller' })
  for (let n = 1; n <= 4; n++) {
    composed.faults.webhook.add({ kind: 'duplicate', copies: 1, times: 1 })
    const { transactionId } = await call('transaction.create', {
      itemRef: offer.itemRef,
      quantity: 1,
      buyerCharacterRef: `buyer-${n}`,
    })
    if (n !== 3) pay(transactionId)
    await pass(30_000)
    if (n === 1) await call('transaction.delivery', { transactionId })
    if (n === 2) await call('transaction.delivery-failure', { transactionId, reason: 'TEMPORARY', observedQuantity: 3 })
    if (n === 4)
      await call('transaction.delivery-failure', { transactionId, reason: 'OUT_OF_STOCK', observedQuantity: 0 })
  }
  await pass(3_600_000)
  const { transactions } = composed.platform.tables
  trace.push(
    transactions.newest(10),
    transactions.newest(10).map(({ id }) => transactions.historyOf(id)),
  )
  await end()
  return trace
}

test('the platform runs in one process on a virtual clock, and the same again gives the same', async () => {
  const first = await buyFour('seed')
  expect(JSON.stringify(await buyFour('seed'))).toBe(JSON.stringify(first))
  expect(JSON.stringify(await buyFour('another seed'))).not.toBe(JSON.stringify(first))
  const states = (first.at(-2) as { paymentStatus: string; deliveryStatus: string | null }[]).map(
    ({ paymentStatus, deliveryStatus }) => `${paymentStatus} ${deliveryStatus}`,
  )
  expect(states).toEqual(['ESTORNADO FALHOU', 'EXPIRADO null', 'PAGO AGUARDANDO_SERVIDOR', 'PAGO ENTREGUE'])
})
