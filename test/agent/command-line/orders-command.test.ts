import { expect, test } from 'vitest'
import { type AgentHome, agentHome, processPublicKey } from '../fixtures/agent-process.ts'
import { spawnBridge, webhookUrlOf } from '../fixtures/bridge-process.ts'
import { commandOutput } from '../fixtures/command-output.ts'
import { end, order } from '../fixtures/events.ts'
import { FakePlatform, goodReply } from '../fixtures/fake-platform.ts'
import { sendWebhook } from '../fixtures/webhook-sender.ts'

/** A platform, an agent with a bridge as a process of its own, and the command next to it. */
async function setup(settings: Readonly<Record<string, string>> = {}) {
  await using started = new AsyncDisposableStack()
  const platform = started.use(await FakePlatform.start(processPublicKey))
  const home: AgentHome = started.use(agentHome(platform.url))
  const agent = started.use(spawnBridge(home, settings))
  const env = { ...home.env, ...settings, SERVICE_AGENT_PORT: new URL(await agent.listening).port }
  const webhookUrl = await webhookUrlOf(agent)
  const running = started.move()
  return {
    platform,
    agent,
    env,
    ordersInPortuguese: () => commandOutput(['orders'], { ...env, LC_ALL: 'pt_BR.UTF-8' }),
    /** An order that arrives; the game server has not taken it when this resolves. */
    async receive(transactionId: number, itemRef: string): Promise<void> {
      sendWebhook(webhookUrl, { ...order, transactionId, itemRef }).catch(() => undefined)
      await agent.printed(`"transactionId":${transactionId},"itemRef":${JSON.stringify(itemRef)},"phase":"offered"`)
    },
    webhook: (event: object) => sendWebhook(webhookUrl, event),
    orders: (...args: string[]) => commandOutput(['orders', ...args], env),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  }
}

test('orders shows what waits for the game server as a table, and --json as orders.open answers', async () => {
  await using opened = await setup()
  expect(await opened.orders()).toEqual({ code: 0, stdout: 'no open orders\n', stderr: '' })
  expect((await opened.ordersInPortuguese()).stdout).toBe('nenhum pedido em aberto\n')
  await opened.receive(17, 'sword-1')
  await opened.receive(18, 'a\u001b[2J')
  await opened.agent.call('orders.take', { transactionId: 17, observedQuantity: 1 })
  const table = await opened.orders()
  expect(table).toMatchObject({ code: 0, stderr: '' })
  expect(table.stdout.replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g, '2026-11-22T12:00:00Z')).toBe(
    [
      'TRANSACTION  STATE    SINCE                 OFFERS  ITEM         WAITS FOR',
      '17           taken    2026-11-22T12:00:00Z  0       2 x sword-1  the game server: deliver it, call transaction.delivery',
      '18           offered  2026-11-22T12:00:00Z  0       2 x a?[2J    the game server: deliver it, reply with observedQuantity and result',
      '',
    ].join('\n'),
  )
  expect((await opened.ordersInPortuguese()).stdout).toMatch(
    /^TRANSAÇÃO +ESTADO +DESDE +OFERTAS +ITEM +ESPERA POR\n17 .* o servidor de jogo: entregue o item e chame .*\n18 .* responda com observedQuantity e result\n$/,
  )
  const json = await opened.orders('--json')
  expect(json.stdout).toBe(`${await opened.agent.callText('orders.open', {})}\n`)
  expect(JSON.parse(json.stdout)).toMatchObject({ ok: true, data: { orders: [{}, {}], closed: [] } })
})

test('--check-now asks the platform about every open order and then shows the orders', async () => {
  await using opened = await setup()
  await opened.receive(17, 'sword-1')
  await opened.receive(18, 'sword-2')
  for (const transactionId of [17, 18]) {
    await opened.agent.call('orders.take', { transactionId, observedQuantity: 1 })
  }
  opened.platform.reply = (request) =>
    request.path.endsWith('/17')
      ? { status: 200, body: '{"data":{"transactionId":17,"paymentStatus":"PAGO","deliveryStatus":"ENTREGUE"}}' }
      : goodReply(request)
  const { code, stdout } = await opened.orders('--check-now', '--json')
  expect(code).toBe(0)
  expect(JSON.parse(stdout).data).toMatchObject({
    orders: [{ transactionId: 18, state: 'offered' }],
    closed: [{ transactionId: 17 }],
  })
  await opened.agent.printed('"asked":2,"unanswered":0,"msg":"the platform was asked about every open order"')
})

test('--check-now ends with 1 and shows the orders as they are known where the platform gives no answer', async () => {
  await using opened = await setup({ SERVICE_CALL_DEADLINE_MS: '1000' })
  await opened.receive(17, 'sword-1')
  opened.platform.reply = () => ({ status: 401, body: '{"message":"não"}' })
  expect(await opened.orders('--check-now')).toMatchObject({
    code: 1,
    stdout: expect.stringMatching(/^17 +offered /m),
    stderr: expect.stringContaining("no answer about 1 of 1 orders; the agent's log says why"),
  })
})

test('orders and its check want the token, and end with 1 without a daemon or without a bridge', async () => {
  await using opened = await setup({ SERVICE_AGENT_TOKEN: 'token-of-the-orders-tests' })
  await opened.webhook(end)
  for (const args of [[], ['--check-now']]) {
    expect(await opened.orders(...args)).toEqual({ code: 0, stdout: 'no open orders\n', stderr: '' })
    expect(await commandOutput(['orders', ...args], { ...opened.env, SERVICE_AGENT_TOKEN: 'another' })).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('"status":401'),
    })
    expect(await commandOutput(['orders', ...args], { ...opened.env, SERVICE_AGENT_PORT: '1' })).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('No market-agent answers at 127.0.0.1:1'),
    })
  }
})
