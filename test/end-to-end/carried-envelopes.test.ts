import { expect, test } from 'vitest'
import { systemClock } from '../../agent/clock/system-clock.ts'
import { goodInputs, startTestAgent } from '../agent/fixtures/test-agent.ts'
import { sharedPrivateKey, startStub } from '../platform-stub/fixtures/stub.ts'

interface Carried {
  readonly method: string
  readonly url: string
  readonly headers: Record<string, string>
  readonly body: string
}

/** A stub, an agent that signs with a key of the stub, and a game client that carries what the agent signs. */
async function setup() {
  await using started = new AsyncDisposableStack()
  const stub = started.use(await startStub())
  const server = await stub.gameServer()
  const signingKey = { kid: server.kid, privateKey: sharedPrivateKey, fingerprint: 'test' }
  const agent = started.use(await startTestAgent(stub.url, { signingKey }, { clock: systemClock }))
  const running = started.move()
  return {
    server,
    stub,
    async sign(operation: string, input: unknown): Promise<Carried> {
      return (await agent.call(operation, input))['data'] as Carried
    },
    /** The game client knows only the envelope and no API key. */
    async carry({ url, method, headers, body }: Carried) {
      const response = await fetch(url, { method, headers, body })
      return { status: response.status, answer: (await response.json()) as Record<string, unknown> }
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  }
}

test('a listing and a purchase that the agent signed are carried to the platform without an API key, and the buyer can pay', async () => {
  await using game = await setup()
  const sellerCharacterRef = await game.server.seller()
  const offer = { ...goodInputs['market.register'], sellerCharacterRef }
  const registration = await game.sign('market.register.envelope', offer)
  expect(Object.keys(registration.headers).sort()).toEqual(['Content-Type', 'X-Platform-Signature'])
  const { itemRef, unitAmountCents } = goodInputs['market.register'] ?? {}
  expect(await game.carry(registration)).toMatchObject({
    status: 200,
    answer: { data: { itemRef, unitAmountCents, status: 'ACTIVE' } },
  })

  const purchase = await game.sign('transaction.create.envelope', goodInputs['transaction.create'])
  expect(Object.keys(purchase.headers).sort()).toEqual(['Content-Type', 'X-Platform-Signature'])
  const { status, answer } = await game.carry(purchase)
  expect(status).toBe(200)
  const { checkoutUrl, transactionId } = answer['data'] as { checkoutUrl: string; transactionId: number }
  expect((await fetch(checkoutUrl)).status).toBe(200)
  expect((await fetch(`${checkoutUrl}/pay`, { method: 'POST' })).status).toBe(200)
  const { data } = await game.stub.request('GET', `/stub/transactions/${transactionId}`)
  expect(data).toMatchObject({ itemRef, paymentStatus: 'PAGO', deliveryStatus: 'AGUARDANDO_SERVIDOR' })
})

test('a carried envelope is taken once, and not with another body', async () => {
  await using game = await setup()
  const offer = { ...goodInputs['market.register'], sellerCharacterRef: await game.server.seller() }
  const registration = await game.sign('market.register.envelope', offer)
  const cheaper = { ...registration, body: registration.body.replace('1050', '1') }
  expect(await game.carry(cheaper)).toMatchObject({
    status: 401,
    answer: { message: expect.stringContaining('bytes') },
  })
  expect(await game.carry(registration)).toMatchObject({ status: 200 })
  expect(await game.carry(registration)).toMatchObject({ status: 401 })
})
