import { execFile } from 'node:child_process'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { saleSteps } from '../../platform-stub/pages/console/first-sale.ts'
import { startProgram } from '../../scripts/child-program.ts'
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

/** Chooses a way on the page of the first sale. */
async function chooseWay(page: Page, name: string, word: string): Promise<void> {
  await page.getByRole('link', { name, exact: true }).click()
  await page.waitForURL(new RegExp(`/console/first-sale\\?with=${word}$`))
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

/** Confirms the link as the player, on the page that the step opens. */
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

/** Pays as the buyer, on the page that the step opens. */
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

test(
  'the first sale is walked through with the commands of the page, is ticked off as it happens, and again after a start over',
  async () => {
    await using folder = await temporaryFolder()
    await using stub = await startStub()
    await using browser = await openBrowser(stub.url)
    const { page } = browser
    const shell = shellIn(folder.path)
    await page.goto(stub.url)
    await page.getByRole('heading', { name: 'Your first sale' }).waitFor()
    await chooseWay(page, 'PowerShell', 'powershell')
    await chooseWay(page, 'curl', 'curl')
    const isSamePage = await markPage(page)

    await shell.run(...(await commandsOf(page, 'server')))
    await isTicked(page, 'server')
    const [start, ...first] = await commandsOf(page, 'call')
    expect(start).toBe('market-agent run --config game/agent.env')
    await using agent = await startAgent(folder.path, stub.url)
    const run = (commands: readonly string[]) =>
      shell.run(...commands.map((line) => line.replace('http://127.0.0.1:8899', agent.url)))
    const runStep = async (step: (typeof saleSteps)[number]) => run(await commandsOf(page, step))
    expect(await run(first)).toContain('"allowed":false')
    await isTicked(page, 'call')

    await runStep('link')
    await linkAsPlayer(page)
    expect(await runStep('listing')).toContain('"ok":false')
    await approveRecipient(page)
    expect(await runStep('listing')).toContain('"status":"ACTIVE"')
    await isTicked(page, 'listing')
    await runStep('purchase')
    await isTicked(page, 'purchase')
    await payAsBuyer(page)
    await isTicked(page, 'payment')
    const open = async () => run((await commandsOf(page, 'delivery')).slice(0, 1))
    await expect.poll(open).toContain('"transactionId":1')
    expect(await runStep('delivery')).toContain('"result":"DELIVERED"')
    await isTicked(page, 'delivery')
    await page.getByRole('heading', { name: 'Sold, paid and delivered' }).waitFor()
    expect(await page.getByText('7 of 7 steps done').count()).toBe(1)
    expect(await isSamePage()).toBe(true)

    await startOver(page, stub.url)
    await isLive(page)
    await run((await commandsOf(page, 'call')).slice(1))
    await isTicked(page, 'call')
    await runStep('link')
    await linkAsPlayer(page)
    await approveRecipient(page)
    expect(await runStep('listing')).toContain('"status":"ACTIVE"')
    await isTicked(page, 'listing')
  },
  timeoutMs,
)

/** Empties the platform by the button of the overview, on which the console now opens. */
async function startOver(page: Page, stubUrl: string): Promise<void> {
  await page.goto(`${stubUrl}/console`)
  await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor()
  await isLive(page)
  page.once('dialog', (dialog) => void dialog.accept())
  await page.getByRole('button', { name: 'Reset' }).click()
  await page.locator('#outcome', { hasText: '200' }).waitFor()
  await page.goto(`${stubUrl}/console/first-sale`)
  await page.locator('#step-call[aria-current="step"]').waitFor()
}
