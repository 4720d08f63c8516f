import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { keepSecret } from '../outputs/outputs.ts'
import { answering, startReceiver } from '../platform-stub/fixtures/receiver.ts'
import { startStub } from '../platform-stub/fixtures/stub.ts'
import { isLive, markPage, openBrowser } from './fixtures/browser.ts'

test('what happens appears on the console by itself', async () => {
  await using stub = await startStub()
  await using browser = await openBrowser(stub.url)
  const { page } = browser
  const server = await stub.gameServer()
  await page.goto(`${stub.url}/console/transactions`)
  await page.getByText('No transaction here').waitFor()
  await isLive(page)
  const isSamePage = await markPage(page)
  const transactionId = await server.purchase()
  const row = page.getByRole('row').filter({ hasText: 'sword-1' })
  await row.getByText('AGUARDANDO_PAGAMENTO').waitFor()
  await stub.pay(transactionId)
  await row.getByText('AGUARDANDO_SERVIDOR').waitFor()
  await server.call('transaction.delivery', { transactionId })
  await row.getByText('ENTREGUE').waitFor()
  expect(await isSamePage()).toBe(true)
})

test('a transaction is paid, disputed and refunded from its page, which shows the way that it took', async () => {
  await using stub = await startStub()
  await using browser = await openBrowser(stub.url)
  const { page } = browser
  const server = await stub.gameServer()
  const transactionId = await server.purchase()
  await page.goto(`${stub.url}/console/transactions/${transactionId}`)
  const machine = page.getByRole('group', { name: /^Transaction: / })
  for (const [act, stands] of [
    ['Pay', 'PAGO / AGUARDANDO_SERVIDOR'],
    ['Open dispute', 'PAGO / EM_DISPUTA'],
    ['Reject dispute', 'PAGO / AGUARDANDO_SERVIDOR'],
    ['Open dispute', 'PAGO / EM_DISPUTA'],
    ['Refund', 'ESTORNADO / EM_DISPUTA / ESTORNADA'],
  ] as const) {
    await page.getByRole('button', { name: act }).click()
    await page.getByRole('group', { name: `Transaction: ${stands}` }).waitFor()
  }
  expect(await page.getByRole('status').textContent()).toContain(
    `curl -s -X POST ${stub.url}/stub/transactions/${transactionId}/refund`,
  )
  const taken = await machine.locator('.move.took text').allTextContents()
  expect(taken.sort()).toEqual(['dispute', 'pay', 'refund', 'reject-dispute'])
  const happened = await page.locator('.timeline strong').allTextContents()
  expect(happened).toContain('Refunded')
  expect(happened.slice(-2)).toEqual(['Purchase created', '200'])
})

test('a transaction shows what its game server acknowledged and what is still expected, as it happens', async () => {
  await using receiver = await startReceiver(answering(503))
  await using stub = await startStub()
  await using browser = await openBrowser(stub.url)
  const { page } = browser
  const server = await stub.gameServer({ webhookUrl: receiver.url })
  const transactionId = await server.paidTransaction()
  await page.goto(`${stub.url}/console/transactions/${transactionId}`)
  const next = page.getByRole('region', { name: 'Next' })
  const acknowledged = page.getByRole('region', { name: 'Acknowledged by the game server' })
  await next.getByText(/2xx to transfer_order, attempt \d+ /).waitFor()
  await next.getByText(/transaction\.delivery-failure/).waitFor()
  await acknowledged.getByText('nothing', { exact: true }).waitFor()

  receiver.reply(answering(200, { observedQuantity: 3 }))
  await next.getByRole('link', { name: 'transfer_order' }).click()
  await page.getByRole('button', { name: 'Resend' }).click()
  await page.getByRole('main').getByText('acknowledged').waitFor()
  await page.goto(`${stub.url}/console/transactions/${transactionId}`)
  await acknowledged.getByText('observed 3').waitFor()
  expect(await next.textContent()).not.toContain('2xx')

  await isLive(page)
  await server.call('transaction.delivery', { transactionId })
  await acknowledged.getByText('transaction_terminal').waitFor()
  await next.getByText('Nothing: it is over.').waitFor()
})

test('a transaction shows what its game server reported and why, as it happens, and a detail is never run', async () => {
  await using stub = await startStub()
  await using browser = await openBrowser(stub.url)
  const { page } = browser
  const dialogs: string[] = []
  page.on('dialog', (dialog) => {
    dialogs.push(dialog.message())
    void dialog.accept()
  })
  const server = await stub.gameServer()
  const transactionId = await server.paidTransaction()
  await page.goto(`${stub.url}/console/transactions/${transactionId}`)
  const reported = page.getByRole('region', { name: 'Reported by the game server' })
  await reported.getByText('nothing', { exact: true }).waitFor()
  await isLive(page)
  const detail = `<img src="/none" onerror="alert('run')"><script>alert('run')</script>`
  const report = { transactionId, reason: 'OUT_OF_STOCK', observedQuantity: 0, detail }
  await server.call('transaction.delivery-failure', report)
  await reported.getByText('OUT_OF_STOCK').waitFor()
  await reported.getByText('observed 0').waitFor()
  expect(await reported.locator('q').textContent()).toBe(detail)
  await reported.getByText('FALHOU').waitFor()
  await page.goto(`${stub.url}/console/transactions`)
  expect(await page.locator('td q').textContent()).toBe(detail)
  expect(dialogs).toEqual([])
})

test('the line for curl sends the same request from a shell, with an apostrophe too', async () => {
  await using stub = await startStub()
  await using browser = await openBrowser(stub.url)
  const { page } = browser
  const server = await stub.gameServer()
  await page.goto(`${stub.url}/console/game-servers/${server.id}`)
  await page.getByRole('textbox', { name: 'Character' }).fill("D'Artagnan & filho")
  await page.getByRole('button', { name: 'Let it sell' }).click()
  await page.getByRole('row').filter({ hasText: 'Artagnan' }).waitFor()
  const line = (await page.locator('#outcome-line').textContent()) ?? ''
  const { stdout } = await promisify(execFile)('sh', ['-c', `curl() { printf '%s\\n' "$@"; }; ${line}`])
  expect(stdout.split('\n')).toEqual([
    '-s',
    '-X',
    'PUT',
    `${stub.url}/stub/game-servers/${server.id}/characters/D'Artagnan%20%26%20filho`,
    '-H',
    'content-type: application/json',
    '-d',
    '{"linked":true,"recipientApproved":true}',
    '',
  ])
})

test('a refused act says what the control route answered, and changes nothing', async () => {
  await using stub = await startStub()
  await using browser = await openBrowser(stub.url)
  const { page } = browser
  const server = await stub.gameServer()
  const transactionId = await server.purchase()
  await page.goto(`${stub.url}/console/transactions/${transactionId}`)
  await server.call('market.withdraw', { itemRef: 'sword-1' })
  await page.getByRole('button', { name: 'Pay' }).click()
  await page.getByRole('status').getByText('409 Este anúncio foi retirado.').waitFor()
  expect((await stub.transaction(transactionId)).phase).toBe('awaiting-payment')
})

test('the clock travels from every page, and what came due on the way is there', async () => {
  await using stub = await startStub()
  await using browser = await openBrowser(stub.url)
  const { page } = browser
  const server = await stub.gameServer()
  const transactionId = await server.purchase()
  await page.goto(`${stub.url}/console/transactions/${transactionId}`)
  await page.locator('summary', { hasText: 'Clock of the stub' }).click()
  await page.getByRole('button', { name: '+1 h' }).click()
  await page.getByRole('group', { name: 'Transaction: EXPIRADO / null / EXPIRADA' }).waitFor()
  await page.getByText('travelling +1h').waitFor()
  await page.getByLabel('To a moment, UTC').fill('2031-05-06T07:08:09Z')
  await page.getByRole('button', { name: 'Travel' }).click()
  await page.getByText(/06 May, 07:08/).waitFor()
  await page.getByRole('button', { name: 'Back to the real time' }).click()
  await page.getByText('The stub uses this machine’s clock.').waitFor()
  expect((await stub.request('GET', '/stub/clock')).data.travelling).toBe(false)
})

test('a delivery tells each attempt’s payload, signature and answer, and is sent again by a button', async () => {
  await using receiver = await startReceiver(answering(503, { error: 'down' }))
  await using stub = await startStub()
  await using browser = await openBrowser(stub.url)
  const { page } = browser
  const server = await stub.gameServer({ webhookUrl: receiver.url })
  const transactionId = await server.paidTransaction()
  await receiver.count(1)
  await page.goto(`${stub.url}/console/webhooks`)
  await page.getByRole('row').filter({ hasText: 'sword-1' }).getByRole('link', { name: '1', exact: true }).click()
  await page.getByRole('heading', { name: 'Attempt 1', exact: true }).waitFor()
  const main = page.getByRole('main')
  await main.getByText('{"error":"down"}').waitFor()
  const { signature, protectedHeader } = (await stub.deliveries(transactionId))[0]?.attempts[0] ?? {}
  const text = (await main.textContent()) ?? ''
  expect(text).toContain(String(signature))
  for (const value of Object.values(protectedHeader ?? {})) expect(text).toContain(String(value))
  expect(text).toContain(receiver.received[0]?.body.toString())
  expect(text).toMatch(/Next try in 1\ds/)

  receiver.reply(answering(200, { observedQuantity: 2 }))
  await main.getByRole('button', { name: 'Resend' }).click()
  await page.getByRole('heading', { name: 'Attempt 2', exact: true }).waitFor()
  await main.getByText('acknowledged').waitFor()
})

test('a fault is set from the console, meets the next call, and is gone', async () => {
  await using stub = await startStub()
  await using browser = await openBrowser(stub.url)
  const { page } = browser
  const server = await stub.gameServer()
  await page.goto(`${stub.url}/console/faults`)
  await isLive(page)
  const side = page.getByRole('region', { name: 'Partner requests' })
  await side.getByLabel('Status', { exact: true }).fill('429')
  await side.getByLabel('Retry-After, s').fill('7')
  await side.getByLabel('Operation').selectOption('market.eligibility')
  await side.getByRole('button', { name: 'Set fault' }).click()
  await side.getByText('1 ×').waitFor()
  const met = await server.call('market.eligibility', { characterRef: 'c' })
  expect([met.status, met.headers.get('retry-after')]).toEqual([429, '7'])
  await side.getByText('None is set').waitFor()

  const webhooks = page.getByRole('region', { name: 'Webhooks' })
  await webhooks.getByRole('radio', { name: /^delay/ }).check()
  await webhooks.getByLabel('Delay, ms').fill('250')
  await webhooks.getByRole('button', { name: 'Set fault' }).click()
  await webhooks.getByText('delayMs 250').waitFor()
  await webhooks.getByRole('button', { name: 'Clear all' }).click()
  await webhooks.getByText('None is set').waitFor()
})

test('a refused signature is explained by its step, with both clocks', async () => {
  await using stub = await startStub()
  await using browser = await openBrowser(stub.url)
  const { page } = browser
  const server = await stub.gameServer()
  const nowS = Math.floor((await stub.now()) / 1_000)
  await server.call('market.eligibility', { characterRef: 'c' }, { claims: { iat: nowS - 437, exp: nowS - 407 } })
  await page.goto(`${stub.url}/console/requests?show=refused`)
  await page.getByText('Why: step').click()
  const why = page.getByRole('listitem').filter({ has: page.getByText('Why: step') })
  await why.getByText(/7m 1\ds behind/).waitFor()
  const checks = await why.locator('.checks li').allTextContents()
  expect(checks.filter((check) => check.includes('failed'))).toEqual(['expiry: failed'])
  expect(checks.slice(0, checks.indexOf('expiry: failed')).every((check) => check.endsWith(': passed'))).toBe(true)
  expect(await why.textContent()).toContain(`"exp":${nowS - 407}`)
})

test('a game server is registered from the console, and its files start an agent', async () => {
  await using stub = await startStub()
  await using browser = await openBrowser(stub.url)
  const { page } = browser
  await page.goto(`${stub.url}/console`)
  await page.getByRole('link', { name: 'register it' }).click()
  await page.getByLabel('Name').fill('Aurora')
  await page.getByRole('button', { name: 'Register' }).click()
  await page.getByRole('heading', { name: 'Aurora' }).waitFor()
  const files = new Map<string, string>()
  for (const name of ['agent.env', 'signing-key.pem', 'platform-public-key.pem']) {
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name, exact: true }).click(),
    ])
    expect(download.suggestedFilename()).toBe(name)
    files.set(name, await readFile(await download.path(), 'utf8'))
  }
  const env = Object.fromEntries((files.get('agent.env') ?? '').split('\n').map((line) => line.split('=')))
  keepSecret(env['SERVICE_API_KEY'])
  expect(env).toMatchObject({ SERVICE_BASE_URL: stub.url, SERVICE_SIGNING_KEY_FILE: 'signing-key.pem' })
  expect(files.get('signing-key.pem')).toMatch(/^-----BEGIN PRIVATE KEY-----/)
  expect(files.get('platform-public-key.pem')).toMatch(/^-----BEGIN PUBLIC KEY-----/)
  expect(await page.textContent('main')).not.toContain(env['SERVICE_API_KEY'])

  await page.getByRole('textbox', { name: 'Character' }).fill('char/1')
  await page.getByRole('button', { name: 'Let it sell' }).click()
  const row = page.getByRole('row').filter({ hasText: 'char/1' })
  await row.getByText('yes').waitFor()
  await row.getByRole('button', { name: 'banned' }).click()
  await row.getByText('CHARACTER_BANNED').waitFor()
  expect(await row.getByRole('button', { name: 'banned' }).getAttribute('aria-pressed')).toBe('true')
})
