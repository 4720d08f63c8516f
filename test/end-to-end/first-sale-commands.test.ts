import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { saleSteps } from '../../platform-stub/pages/console/first-sale.ts'
import { saleCommands } from '../../platform-stub/pages/console/sale-commands.ts'
import { type Stage, setStage } from '../../scripts/demo/stage.ts'
import { freePort } from '../../scripts/free-port.ts'

// The commands that the page of the first sale shows. `test/browser/first-sale.test.ts` copies some from the page itself.

const hostile = `$(touch pwned)\`touch pwned\`'; touch pwned; '"\\ ‘a’ “b” \${HOME}\n\r!! & > pwned | é 😀`

/** An agent with a spool, whose folder has a name that needs quoting, and a folder for the shell. */
async function setFolders(stage: Stage) {
  const spoolDir = join(stage.dir, "o'brien's $(touch pwned) spool")
  const cwd = join(stage.dir, 'shell')
  mkdirSync(cwd)
  const { url, gameServerId } = await stage.startAgent('my-game', { SERVICE_SPOOL_DIR: spoolDir })
  return { cwd, spoolDir, url, gameServerId }
}

test('the commands of every step sell and deliver an item by curl and by files, and a shell runs nothing in a name', async () => {
  await using stage = await setStage()
  const { cwd, spoolDir, url, gameServerId } = await setFolders(stage)
  const sh = async (lines: readonly string[]): Promise<string> =>
    (await promisify(execFile)('sh', ['-ec', lines.join('\n')], { cwd })).stdout
  for (const [at, way] of (['curl', 'files'] as const).entries()) {
    const number = at + 1
    const names = { seller: `s${way}${hostile}`, buyer: `b${hostile}`, itemRef: `i${way}${hostile}` }
    const ids = { linkId: number, listingId: number, transactionId: number, isSellerApproved: true }
    const stageOfPage = { developerUrl: stage.stubUrl, agent: { url, spoolDir, forwardUrl: null } }
    const { server, ...commands } = saleCommands(way, { ...names, ...ids }, stageOfPage)
    expect(server).toEqual([])
    const prepare = way === 'files' ? commands.call.slice(0, 1) : []
    expect(await sh(commands.call)).toContain('"allowed":false')
    const [link = ''] = /http:[^"]+/.exec(await sh([...prepare, ...commands.link])) ?? []
    await stage.atPlatform('POST', link)
    const character = `/stub/game-servers/${gameServerId}/characters/${encodeURIComponent(names.seller)}`
    await stage.atPlatform('PUT', character, { recipientApproved: true })
    expect(await sh([...prepare, ...commands.listing])).toContain('"status":"ACTIVE"')
    expect(await sh([...prepare, ...commands.purchase])).toContain(`"transactionId":${number}`)
    await stage.atPlatform('POST', `/stub/transactions/${number}/pay`)
    const isOffered = async () => JSON.stringify(await stage.atPlatform('POST', `${url}/call`, openOrders))
    await expect.poll(isOffered).toContain(`"transactionId":${number},`)
    expect(await sh([...prepare, ...commands.delivery])).toContain(`"transactionId":${number}`)
    await expect
      .poll(() => stage.atPlatform('GET', `/stub/transactions/${number}`))
      .toMatchObject({
        itemRef: names.itemRef,
        buyerCharacterRef: names.buyer,
        paymentStatus: 'PAGO',
        deliveryStatus: 'ENTREGUE',
      })
  }
  expect(readdirSync(cwd)).toEqual([])
})

const openOrders = { operation: 'orders.open', input: {} }

test('an example that is told what the page says sells, takes the order and delivers by itself', async () => {
  await using stage = await setStage()
  const gamePort = await freePort()
  const forwardUrl = `http://127.0.0.1:${gamePort}/orders`
  const token = { SERVICE_WEBHOOK_FORWARD_TOKEN: 'segredo' }
  const settings = { SERVICE_WEBHOOK_FORWARD_URL: forwardUrl, ...token }
  const { url, gameServerId } = await stage.startAgent('my-game', settings)
  const names = { seller: 'char-1', buyer: 'char-2', itemRef: 'offer-1', isSellerApproved: true }
  const ids = { linkId: 1, listingId: 1, transactionId: 1 }
  const pageStage = { developerUrl: stage.stubUrl, agent: { url, spoolDir: null, forwardUrl } }
  const commands = saleCommands('examples', { ...names, ...ids }, pageStage)
  const env = { ...token, AGENT_URL: url, GAME_PORT: String(gamePort), WORLD_DIR: stage.dir }
  await using game = startExample('node/game.mjs', env)
  await game.says('pronto')

  game.type(...commands.link)
  await game.says('/portal/links/')
  const character = `/stub/game-servers/${gameServerId}/characters/char-1`
  await stage.atPlatform('PUT', character, { linked: true, recipientApproved: true })
  game.type(...commands.listing)
  await expect.poll(() => stage.atPlatform('GET', '/stub/listings')).toHaveLength(1)
  game.type(...commands.purchase)
  await expect.poll(() => stage.atPlatform('GET', '/stub/transactions')).toHaveLength(1)
  await stage.atPlatform('POST', '/stub/transactions/1/pay')
  await game.says('pedido 1: entregue')
  expect(saleSteps.filter((step) => commands[step].length > 0)).toEqual(['link', 'listing', 'purchase'])
})

/** Starts a game server of the examples. */
function startExample(file: string, env: Readonly<Record<string, string>>) {
  const path = join(import.meta.dirname, '..', '..', 'examples', file)
  const child = spawn(process.execPath, [path], { env: { ...process.env, ...env } })
  let said = ''
  child.stdout.on('data', (chunk) => {
    said += chunk
  })
  child.stderr.pipe(process.stderr)
  const ended = once(child, 'exit')
  return {
    type: (...lines: string[]) => void child.stdin.write(`${lines.join('\n')}\n`),
    says: (text: string) => expect.poll(() => said).toContain(text),
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await ended
    },
  }
}
