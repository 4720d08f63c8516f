import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { saleSteps } from '../../platform-stub/pages/console/first-sale.ts'
import { startProgram } from '../../scripts/child-program.ts'
import { freePort } from '../../scripts/free-port.ts'
import { sourcePrograms } from '../../scripts/programs.ts'
import { sendWebhooksToAgent } from '../../scripts/webhook-url.ts'
import { outputFile } from '../outputs/outputs.ts'
import { temporaryFolder } from '../platform-stub/fixtures/process.ts'
import { startStub } from '../platform-stub/fixtures/stub.ts'
import { isLive, markPage, openBrowser } from './fixtures/browser.ts'

/** A sale with two programs, a browser and a shell. */
const timeoutMs = 120_000

/** The commands of a step, as a reader copies them. */
async function commandsOf(page: Page, step: string): Promise<string[]> {
  return page.locator(`#step-${step} pre`).allTextContents()
}

/** Opens the bare address of a stub, and chooses a way. */
async function chooseWay(page: Page, stubUrl: string, name: string, word: string): Promise<void> {
  await page.goto(stubUrl)
  await page.getByRole('heading', { name: 'Your first sale' }).waitFor()
  await page.getByRole('link', { name, exact: true }).first().click()
  await page.waitForURL(`${stubUrl}/console/first-sale?with=${word}`)
  await page.locator('.ways [aria-current]', { hasText: name }).waitFor()
  await isLive(page)
}

/** The agent of `game/` in a folder, which the stub's webhooks reach. */
async function startAgent(folder: string, stubUrl: string) {
  const logFile = outputFile('market-agent')
  const agent = await startProgram({
    name: 'market-agent',
    command: [...sourcePrograms.agent, 'run', '--config', join(folder, 'game', 'agent.env')],
    env: { SERVICE_AGENT_PORT: '0', SERVICE_WEBHOOK_PORT: '0' },
    logFile,
  })
  await sendWebhooksToAgent(stubUrl, 1, logFile)
  return agent
}

/** Confirms the link as the player, on the page that the step leads to. */
async function linkAsPlayer(page: Page): Promise<void> {
  const [player] = await Promise.all([
    page.context().waitForEvent('page'),
    page.getByRole('link', { name: 'Open the player’s page' }).click(),
  ])
  await player.getByRole('button', { name: 'Vincular personagem' }).click()
  await isTicked(page, 'link')
}

async function approveRecipient(page: Page): Promise<void> {
  const button = page.getByRole('button', { name: 'Approve the recipient' })
  await button.click()
  await button.waitFor({ state: 'detached' })
}

/** Pays as the buyer, on the page that the step leads to. */
async function payAsBuyer(page: Page): Promise<void> {
  const checkout = page.getByRole('link', { name: 'Open the checkout' })
  const [buyer] = await Promise.all([page.context().waitForEvent('page'), checkout.click()])
  await buyer.getByRole('button', { name: /^Simular pagamento/ }).click()
  await buyer.getByRole('heading', { name: 'Andamento' }).waitFor()
}

/** Resolves when the page shows that a step is done, and the next one is to be done now. */
async function isTicked(page: Page, step: (typeof saleSteps)[number]): Promise<void> {
  await page.locator(`#step-${step}.done`).waitFor()
  const next = saleSteps[saleSteps.indexOf(step) + 1]
  if (next) await page.locator(`#step-${next}[aria-current="step"]`).waitFor()
}

/** A shell in a folder of its own, in which the two programs are commands. */
function shellIn(folder: string) {
  const path = join(folder, 'bin')
  mkdirSync(path)
  for (const [name, command] of Object.entries({
    'platform-stub': sourcePrograms.stub,
    'market-agent': sourcePrograms.agent,
  })) {
    const file = join(path, name)
    writeFileSync(file, `#!/bin/sh\nexec ${command.map((word) => `'${word}'`).join(' ')} "$@"\n`)
    chmodSync(file, 0o755)
  }
  const env = { ...process.env, PATH: `${path}:${process.env['PATH']}` }
  return {
    async run(...lines: string[]): Promise<string> {
      const { stdout } = await promisify(execFile)('sh', ['-ec', lines.join('\n')], { cwd: folder, env })
      return stdout
    },
  }
}

test.each([
  ['curl', 'curl'],
  ['files (shell)', 'files'],
])(
  'the first sale is walked through with the commands of the page, and ticked off as it happens: %s',
  async (name, way) => {
    await using folder = await temporaryFolder()
    await using stub = await startStub()
    await using browser = await openBrowser(stub.url)
    const { page } = browser
    const shell = shellIn(folder.path)
    await chooseWay(page, stub.url, name, way)
    const isSamePage = await markPage(page)

    await shell.run(...(await commandsOf(page, 'server')))
    await isTicked(page, 'server')
    const [start, ...first] = await commandsOf(page, 'call')
    expect(start).toBe('market-agent run --config game/agent.env')
    await using agent = await startAgent(folder.path, stub.url)
    const prepare = way === 'files' ? first.slice(0, 1) : []
    const run = (commands: readonly string[]) =>
      shell.run(...prepare, ...commands.map((line) => line.replace('http://127.0.0.1:8899', agent.url)))
    expect(await run(first.slice(prepare.length))).toContain('"allowed":false')
    await isTicked(page, 'call')

    await run(await commandsOf(page, 'link'))
    await linkAsPlayer(page)

    expect(await run(await commandsOf(page, 'listing'))).toContain('"ok":false')
    await approveRecipient(page)
    expect(await run(await commandsOf(page, 'listing'))).toContain('"status":"ACTIVE"')
    await isTicked(page, 'listing')

    await run(await commandsOf(page, 'purchase'))
    await isTicked(page, 'purchase')
    await payAsBuyer(page)
    if (way === 'files') {
      const event = join(folder.path, 'spool', 'events', 'transfer_order-1.json')
      await expect.poll(() => existsSync(event), { timeout: 60_000 }).toBe(true)
    } else {
      const open = async () => run((await commandsOf(page, 'order')).slice(0, 1))
      await expect.poll(open, { timeout: 60_000 }).toContain('"transactionId":1')
    }
    await run(await commandsOf(page, 'order'))
    await isTicked(page, 'order')

    expect(await run(await commandsOf(page, 'delivery'))).toContain('ENTREGUE')
    await isTicked(page, 'delivery')
    await page.getByRole('heading', { name: 'Sold, paid and delivered' }).waitFor()
    expect(await page.getByText('7 of 7 steps done').count()).toBe(1)
    expect(await isSamePage()).toBe(true)

    await page.goto(`${stub.url}/console`)
    await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor()
    await page.getByRole('link', { name: 'First sale' }).click()
    await page.getByRole('heading', { name: 'Sold, paid and delivered' }).waitFor()
  },
  timeoutMs,
)

test(
  'an example game server gets the commands of the page, and takes and delivers the order by itself',
  async () => {
    await using folder = await temporaryFolder()
    await using stub = await startStub()
    await using browser = await openBrowser(stub.url)
    const { page } = browser
    await chooseWay(page, stub.url, 'Node', 'node')
    const gamePort = await freePort()
    const ours = (line: string) => line.replace('http://127.0.0.1:9000', `http://127.0.0.1:${gamePort}`)
    await shellIn(folder.path).run(...(await commandsOf(page, 'server')).map(ours))
    await isTicked(page, 'server')
    const [, start = ''] = await commandsOf(page, 'call')
    await using agent = await startAgent(folder.path, stub.url)
    await using game = startGame(start, { AGENT_URL: agent.url, GAME_PORT: String(gamePort), WORLD_DIR: folder.path })
    await game.says('pronto')
    const tell = async (step: string) => game.type(...(await commandsOf(page, step)))

    await tell('link')
    await isTicked(page, 'call')
    await linkAsPlayer(page)
    await approveRecipient(page)
    await tell('listing')
    await isTicked(page, 'listing')
    await tell('purchase')
    await isTicked(page, 'purchase')
    await payAsBuyer(page)
    await isTicked(page, 'delivery')
    expect(await commandsOf(page, 'order')).toEqual([])
    await game.says('pedido 1: confirmado')
  },
  timeoutMs,
)

/** Starts a game server of the examples by its line, in the repository's folder. */
function startGame(line: string, env: Record<string, string>) {
  const root = join(import.meta.dirname, '..', '..')
  const [, ...args] = line.split(' ')
  const child = spawn(process.execPath, args, { cwd: root, env: { ...process.env, ...env } })
  let said = ''
  child.stdout.on('data', (chunk) => {
    said += chunk
  })
  child.stderr.pipe(process.stderr)
  const ended = once(child, 'exit')
  return {
    type: (...lines: string[]) => void child.stdin.write(`${lines.join('\n')}\n`),
    says: (text: string) => expect.poll(() => said, { timeout: 60_000 }).toContain(text),
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await ended
    },
  }
}
