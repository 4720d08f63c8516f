import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startReceiver } from '../platform-stub/fixtures/receiver.ts'
import { codeBlocksOf, runCommands } from './fixtures/guide.ts'

const root = join(import.meta.dirname, '..', '..')

/** `npm start` in a folder whose name needs quoting, on free ports, once it has printed its lines. */
async function npmStart(...more: string[]) {
  const parent = mkdtempSync(join(tmpdir(), 'npm-start-'))
  const folder = join(parent, "o'brien's game")
  mkdirSync(folder)
  const args = ['start', '--', '--folder', folder, '--port', '0', '--agent-port', '0', '--webhook-port', '0', ...more]
  const npm = spawn('npm', args, { cwd: root, stdio: ['ignore', 'pipe', 'inherit'], detached: true })
  let printed = ''
  const ended = new Promise<void>((resolve) => npm.once('close', () => resolve()))
  const isReady = new Promise<void>((resolve) => {
    npm.stdout.on('data', (chunk) => {
      printed += chunk
      if (printed.includes('/operations\n')) resolve()
    })
  })
  await Promise.race([isReady, ended.then(() => Promise.reject(new Error(printed)))])
  const [, stubUrl = '', agentUrl = ''] = /platform-stub listens at (\S+), market-agent at (\S+)\./.exec(printed) ?? []
  return {
    npm,
    printed,
    folder,
    stubUrl,
    agentUrl,
    addresses: [`${stubUrl}/health`, `${agentUrl}/health`],
    /** Runs the line that is printed below a title. */
    line(title: string): string {
      const lines = printed.split('\n')
      const from = lines.findIndex((one) => one.startsWith(title)) + 1
      const commands = lines.slice(from, lines.indexOf('', from)).join('\n')
      return execFileSync('sh', ['-c', commands], { cwd: root, encoding: 'utf8' })
    },
    async [Symbol.asyncDispose]() {
      npm.kill('SIGTERM')
      await ended
      rmSync(parent, { recursive: true, force: true, maxRetries: 10 })
    },
  }
}

test('the lines that npm start prints work as they stand, by HTTP and by files, and again', async () => {
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

test('the first success of the README works beside npm start: an item is listed, sold and delivered, a file is answered', async () => {
  await using started = await npmStart()
  const blocks = codeBlocksOf('../README.md').filter(
    ({ heading, language }) => /^2\. /.test(heading) && language === 'sh',
  )
  const [list = '', sell = '', files = ''] = blocks.map(({ text }) => text)
  const commands = [list, sell, files]
    .join('\n')
    .replaceAll('http://127.0.0.1:8787', started.stubUrl)
    .replaceAll('http://127.0.0.1:8899', started.agentUrl)
    .replace('.demo/spool', JSON.stringify(join(started.folder, 'spool')))
  const printed = await runCommands(commands, root)
  expect(printed).toContain('{"ok":true,"id":"register-offer-1-1","data":{')
  expect(printed).toContain('"deliveryStatus":"ENTREGUE"')
  expect(printed).toContain('"id":"ask-1"')
  expect(printed).not.toContain('"ok":false')
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
