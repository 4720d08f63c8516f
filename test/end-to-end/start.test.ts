import { join } from 'node:path'
import { html } from 'hono/html'
import { expect, test } from 'vitest'
import { shellWord } from '../../platform-stub/pages/browser/curl-line.js'
import { startReceiver } from '../platform-stub/fixtures/receiver.ts'
import { codeBlocksOf, nextSecond, runCommands } from './fixtures/guide.ts'
import { npmStart } from './fixtures/npm-start.ts'

const root = join(import.meta.dirname, '..', '..')

test('the lines that npm start prints work as they are, by HTTP and by files, and again', async () => {
  await using started = await npmStart()
  expect(JSON.parse(started.line('Ask whether'))).toMatchObject({ ok: true, data: { allowed: false } })
  started.line('Let it sell')
  expect(JSON.parse(started.line('List an item'))).toMatchObject({ ok: true, data: { status: 'ACTIVE' } })
  const { data } = JSON.parse(started.line('Buy one'))
  expect((await fetch(`${data.checkoutUrl}/pay`, { method: 'POST' })).status).toBe(200)
  await expect
    .poll(() => JSON.parse(started.line('See the paid orders')).data.orders, { timeout: 60_000 })
    .toMatchObject([{ transactionId: data.transactionId, state: 'offered' }])
  expect(started.printed).toContain(' && mv ')
  const first = JSON.parse(started.line('The first question by files'))
  const second = JSON.parse(started.line('The first question by files'))
  expect([first, second]).toMatchObject([
    { ok: true, allowed: true },
    { ok: true, allowed: true },
  ])
  expect(second.id).not.toBe(first.id)
})

test('npm start posts paid orders to the address that it is given', async () => {
  await using gameServer = await startReceiver()
  await using started = await npmStart('--forward-url', gameServer.url)
  started.line('Let it sell')
  started.line('List an item')
  const { data } = JSON.parse(started.line('Buy one'))
  expect((await fetch(`${data.checkoutUrl}/pay`, { method: 'POST' })).status).toBe(200)
  const { event } = await gameServer.event('transfer_order', data.transactionId)
  expect(event).toMatchObject({ quantity: 1, buyerCharacterRef: 'char-2' })
})

test('the first sale of the console names the agent, the folder and the way of the orders of npm start', async () => {
  await using started = await npmStart()
  const page = async (way: string) => (await fetch(`${started.stubUrl}/console/first-sale?with=${way}`)).text()
  expect(await page('curl')).toContain(`${started.agentUrl}/call`)
  expect(await page('files')).toContain(String(html`spool=${shellWord(join(started.folder, 'spool'))}`))
  expect(await page('examples')).toContain('<code>examples/lua-files</code>')
  for (const way of ['curl', 'files', 'powershell', 'examples']) expect(await page(way)).not.toContain('agent.env')
})

test('the commands of the README work next to npm start, twice: an item is sold and delivered, a file is answered, a fault is set', async () => {
  await using started = await npmStart()
  const blocks = codeBlocksOf('../README.md').filter(
    ({ heading, language }) => /^2\. /.test(heading) && language === 'sh',
  )
  const commands = blocks.map(({ text }) => text).filter((text) => text.includes('127.0.0.1') || text.includes('.demo'))
  expect(commands).toHaveLength(4)
  const script = commands
    .join('\n')
    .replaceAll('http://127.0.0.1:8787', started.stubUrl)
    .replaceAll('http://127.0.0.1:8899', started.agentUrl)
    .replaceAll('.demo', '"$DEMO"')
  for (const _ of ['the first time', 'another one']) {
    await nextSecond()
    const printed = await runCommands(`DEMO=${shellWord(started.folder)}\n${script}`, root)
    expect(printed).toContain('{"ok":true,"id":"register-offer-')
    expect(printed).toContain('"reported":"DELIVERED"')
    expect(printed).toContain('"allowed":true')
    expect(printed).toContain('"kind":"duplicate"')
    expect(printed).not.toMatch(/"ok":false|\{"message"/)
  }
})

test.each(['SIGTERM', 'SIGHUP'] as const)('%s to npm start ends both programs', async (signal) => {
  await using started = await npmStart()
  started.npm.kill(signal)
  await seeEnd(started.addresses)
})

test('Ctrl-C in the terminal of npm start ends both programs', async () => {
  await using started = await npmStart()
  // A terminal sends the signal to all processes of the group.
  process.kill(-(started.npm.pid ?? 0), 'SIGINT')
  await seeEnd(started.addresses)
})

async function seeEnd(addresses: readonly string[]): Promise<void> {
  const answers = (address: string) =>
    fetch(address).then(
      () => true,
      () => false,
    )
  for (const address of addresses) await expect.poll(() => answers(address), { timeout: 60_000 }).toBe(false)
}
