import { existsSync, globSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Stage, setStage } from '../../scripts/demo/stage.ts'
import { startReceiver } from '../platform-stub/fixtures/receiver.ts'
import { codeBlocksOf, type Ports, runCommands, withPorts } from './fixtures/guide.ts'

/** The commands of a page's chapter for a POSIX shell. */
function chapter(page: string, number: number): string[] {
  const blocks = codeBlocksOf(page).filter(
    ({ heading, language }) => language === 'sh' && heading.startsWith(`${number}. `),
  )
  return blocks.map(({ text }) => text)
}

/** A stub, and an agent with a spool where a reader of the guides has one, with `offer-1` listed. */
async function setReadersStage(stage: Stage): Promise<Ports> {
  const settings = { SERVICE_SPOOL_DIR: join(stage.dir, '.demo', 'spool') }
  const { url, gameServerId } = await stage.startAgent('my-game', settings)
  const seller = `/stub/game-servers/${gameServerId}/characters/char-1`
  await stage.atPlatform('PUT', seller, { linked: true, recipientApproved: true })
  const offer = { itemRef: 'offer-1', gameItemId: 'sword-9', itemName: 'Espada +9', attributes: 'Ataque 120' }
  const input = { ...offer, quantityListed: 3, unitAmountCents: 1_050, sellerCharacterRef: 'char-1' }
  await stage.atPlatform('POST', `${url}/call`, { operation: 'market.register', input })
  return new Map([
    ['8787', Number(new URL(stage.stubUrl).port)],
    ['8899', Number(new URL(url).port)],
  ])
}

test("the guide's calls by HTTP and by files are answered, with the commands as they are printed", async () => {
  await using stage = await setStage()
  const ports = await setReadersStage(stage)
  const commands = [1, 2, 3].flatMap((number) => chapter('en/calls.md', number))
  expect(commands).toHaveLength(3)
  const printed = await runCommands(withPorts(commands.join('\n'), ports), stage.dir)
  expect(printed).toContain('{"ok":true,"operations":[')
  expect(printed).toContain('{"ok":true,"id":"adjust-offer-1-0042","data":null}')
  expect(printed).toContain('{"id":"adjust-offer-1-0043","ok":true}')
})

/** Buys `offer-1` and pays. @returns The transaction. */
async function sell(stage: Stage, ports: Ports): Promise<number> {
  const input = { itemRef: 'offer-1', quantity: 1, buyerCharacterRef: 'char-2' }
  const call = `http://127.0.0.1:${ports.get('8899')}/call`
  const { transactionId } = (await stage.atPlatform('POST', call, { operation: 'transaction.create', input })) as {
    transactionId: number
  }
  await stage.atPlatform('POST', `/stub/transactions/${transactionId}/pay`)
  return transactionId
}

/** Resolves when the agent offers the order of a transaction. */
async function seeOffered(stage: Stage, ports: Ports, transactionId: number): Promise<void> {
  const call = `http://127.0.0.1:${ports.get('8899')}/call`
  const isOffered = async () =>
    JSON.stringify(await stage.atPlatform('POST', call, { operation: 'orders.open', input: {} }))
  await expect.poll(isOffered).toContain(`"transactionId":${transactionId},`)
}

test("the guide's commands sell an order by asking and another one by files, with one reply each", async () => {
  await using stage = await setStage()
  const ports = await setReadersStage(stage)
  const [first, second] = [await sell(stage, ports), await sell(stage, ports)]
  for (const id of [first, second]) await seeOffered(stage, ports, id)
  const asked = await runCommands(withPorts(chapter('en/orders.md', 2).join(''), ports), stage.dir)
  expect(asked).toContain('"state":"offered"')
  expect(asked).toContain('"outcome":"CONCLUIDA","reported":"DELIVERED"')
  const [files = ''] = chapter('en/orders.md', 4)
  const written = await runCommands(files.replaceAll('-1.json', `-${second}.json`), join(stage.dir, '.demo', 'spool'))
  expect(written).toContain('"actUntil"')
  expect(written).toContain('"outcome":"CONCLUIDA","reported":"DELIVERED"')
})

test("the guide's POST is what a game server gets", async () => {
  await using receiver = await startReceiver()
  const [post = ''] = chapter('en/orders.md', 3)
  await runCommands(post.replace('http://127.0.0.1:9000/orders', receiver.url), tmpdir())
  const { event } = await receiver.event('transfer_order', 17)
  await using stage = await setStage()
  const { gameServerId, url } = await stage.startAgent('my-game', { SERVICE_WEBHOOK_FORWARD_URL: receiver.url })
  const seller = `/stub/game-servers/${gameServerId}/characters/char-1`
  await stage.atPlatform('PUT', seller, { linked: true, recipientApproved: true })
  const offer = { itemRef: 'offer-1', gameItemId: 'sword-9', itemName: 'Espada +9', attributes: 'Ataque 120' }
  const input = { ...offer, quantityListed: 3, unitAmountCents: 1_050, sellerCharacterRef: 'char-1' }
  await stage.atPlatform('POST', `${url}/call`, { operation: 'market.register', input })
  const sold = await sell(stage, new Map([['8899', Number(new URL(url).port)]]))
  const { event: pushed } = await receiver.event('transfer_order', sold)
  expect(Object.keys(event)).toEqual(Object.keys(pushed))
})

test("the guide's commands report an order by hand, after it was put off once", async () => {
  await using stage = await setStage()
  const ports = await setReadersStage(stage)
  await seeOffered(stage, ports, await sell(stage, ports))
  const [commands = ''] = chapter('en/self-reporting.md', 1)
  const printed = await runCommands(withPorts(commands, ports), stage.dir)
  expect(printed).toContain('"state":"taken"')
  expect(printed).toContain('"retryAt":"')
  expect(printed).toContain('"deliveryStatus":"ENTREGUE"')
  expect(printed).not.toContain('"ok":false')
})

test("the guide's commands for the stub's requests, events, clock and faults do what they say", async () => {
  await using stage = await setStage()
  await using receiver = await startReceiver()
  const ports = new Map([...(await setReadersStage(stage)), ['8898', Number(new URL(receiver.url).port)]])
  await stage.atPlatform('PUT', '/stub/game-servers/1', { webhookUrl: receiver.url })
  const commands = [3, 4, 5].flatMap((number) => chapter('en/stub.md', number))
  expect(commands).toHaveLength(5)
  const script = commands.join('\n').replace(/platform-stub trigger \w+/g, '$& --url http://127.0.0.1:8787')
  const printed = await runCommands(withPorts(script, ports), stage.dir)
  expect(printed).not.toContain('{"message"')
  expect(printed).toContain('"responseStatus":200')
  expect(printed).toContain('"travelling":true')
  expect(await stage.atPlatform('GET', '/stub/transactions/1')).toMatchObject({ paymentStatus: 'PAGO' })
  expect(await stage.atPlatform('GET', '/stub/faults')).toMatchObject([{ kind: 'hang-up-after' }])
  expect(await stage.atPlatform('GET', '/stub/webhook-faults')).toMatchObject([{ kind: 'duplicate', copies: 2 }])
})

test("the guide's game server is provisioned again with its key kept and gets a key to send to the staff", async () => {
  await using stage = await setStage()
  const ports = await setReadersStage(stage)
  const [start = ''] = chapter('en/stub.md', 1)
  const provision = /^platform-stub provision .*?[^\\]$/ms.exec(start)?.[0] ?? ''
  const again = `key=$(cat provisioned/signing-key.pem)\n${provision}\n[ "$key" = "$(cat provisioned/signing-key.pem)" ]`
  await runCommands(withPorts(`${provision}\n${again}`, ports), stage.dir)
  const [keygen = ''] = chapter('en/production.md', 1)
  await runCommands(keygen, stage.dir)
  for (const file of ['provisioned/agent.env', 'provisioned/platform-public-key.pem', 'signing-key-public.pem'])
    expect([file, existsSync(join(stage.dir, file))]).toEqual([file, true])
})

test('for each command of the integrators in a POSIX shell there is one for Windows', () => {
  const pages = globSync('*.md', { cwd: join(import.meta.dirname, '..', '..', 'docs', 'en') })
  expect(pages.length).toBeGreaterThan(8)
  for (const page of pages) {
    const languages = codeBlocksOf(`en/${page}`)
      .map(({ language }) => language)
      .filter((language) => language === 'sh' || language === 'powershell')
    const pairs = Array.from({ length: Math.ceil(languages.length / 2) }, () => ['sh', 'powershell'])
    expect([page, languages]).toEqual([page, pairs.flat()])
  }
})
