import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import * as z from 'zod/mini'
import { readScenario } from '../../../platform-stub/developer/scenarios/read-scenario.ts'
import { scenario } from '../../../platform-stub/developer/scenarios/scenario.ts'
import { ScenarioError } from '../../../platform-stub/developer/scenarios/scenario-errors.ts'
import { stageScenario } from '../../../platform-stub/developer/scenarios/stage.ts'
import { keepSecret } from '../../outputs/outputs.ts'
import { run, serve, serveIn, temporaryFolder } from '../fixtures/process.ts'
import { GameServer, type StubControl, sharedPrivateKey, startStub } from '../fixtures/stub.ts'

const root = join(import.meta.dirname, '..', '..', '..')
const example = (name: string) => join(root, 'examples', 'scenarios', `${name}.json`)

/** An example, started in a folder of its own in which the test's signing key lies already. */
async function serveExample(name: string) {
  const folder = await temporaryFolder()
  await mkdir(join(folder.path, 'provisioned'))
  const keyFile = join(folder.path, 'provisioned', 'signing-key.pem')
  await writeFile(keyFile, sharedPrivateKey.export({ type: 'pkcs8', format: 'pem' }))
  const stub = await serveIn(folder.path, '--memory', '--scenario', example(name))
  return {
    ...stub,
    folder: join(folder.path, 'provisioned'),
    server: await provisioned(stub.control, join(folder.path, 'provisioned')),
    async [Symbol.asyncDispose]() {
      await stub[Symbol.asyncDispose]()
      await folder[Symbol.asyncDispose]()
    },
  }
}

/** The game server whose credentials the stub wrote. */
async function provisioned(control: StubControl, folder: string): Promise<GameServer> {
  const lines = (await readFile(join(folder, 'agent.env'), 'utf8')).trim().split('\n')
  const env = Object.fromEntries(lines.map((line) => line.split('=', 2) as [string, string]))
  expect(env['SERVICE_BASE_URL']).toBe(control.url)
  return new GameServer(control, {
    gameServerId: 1,
    apiKey: keepSecret(env['SERVICE_API_KEY'] ?? ''),
    kid: env['SERVICE_SIGNING_KID'] ?? '',
    platformKeyKid: env['SERVICE_PLATFORM_KID'] ?? '',
    platformPublicKeyPem: await readFile(env['SERVICE_PLATFORM_PUBLIC_KEY_FILE'] ?? '', 'utf8'),
  })
}

const list = async (control: StubControl, name: string) => (await control.request('GET', `/stub/${name}`)).data

test('the open shop: every seller that may sell sells, what is listed is bought as far as it was seen', async () => {
  await using stub = await serveExample('open-shop')
  const { control, server } = stub
  expect(stub.listening).toMatchObject({ scenario: example('open-shop') })
  expect(((await stat(join(stub.folder, 'agent.env'))).mode & 0o777).toString(8)).toBe('600')

  const blocker = async (characterRef: string) =>
    (await server.call('market.eligibility', { characterRef })).data.blocker
  expect([await blocker('char-1'), await blocker('char-2'), await blocker('char-3')]).toEqual([
    null,
    'NOT_LINKED',
    'CHARACTER_BANNED',
  ])
  const listings = (await list(control, 'listings')).reverse()
  expect(listings).toMatchObject([
    { itemRef: 'offer-1', status: 'ACTIVE', observedQuantity: 3, estimate: { exact: 5, observed: 3, available: 3 } },
    { itemRef: 'offer-2', status: 'ACTIVE', observedQuantity: 0, estimate: { available: 0 } },
    { itemRef: 'offer-3', status: 'WITHDRAWN', observedQuantity: null },
  ])
  const ageMs = (await control.now()) - Date.parse(listings[0].observedAt)
  expect([ageMs >= 60_000, ageMs < 90_000]).toEqual([true, true])
  const buy = async (itemRef: string, quantity: number) =>
    (await server.call('transaction.create', { itemRef, quantity, buyerCharacterRef: 'char-2' })).status
  expect([await buy('offer-1', 4), await buy('offer-1', 3), await buy('offer-2', 1), await buy('offer-3', 1)]).toEqual([
    409, 200, 409, 409,
  ])
})

test('a seller that is described has exactly the described state, and one that is not may sell', async () => {
  const listing = { gameItemId: 'g', itemName: 'n', attributes: 'a', quantityListed: 1, unitAmountCents: 1 }
  const gameServers = [
    {
      name: 'Aurora',
      characters: { blocked: { linked: true, sellingBlocked: true }, stranger: {} },
      listings: ['blocked', 'stranger', 'able'].map((ref) => ({ ...listing, itemRef: ref, sellerCharacterRef: ref })),
    },
  ]
  await using stub = await startStub({
    prepare: (parts, stubUrl) => stageScenario(scenario.parse({ gameServers }), parts, stubUrl),
  })
  const [{ apiKey }] = (await stub.request('GET', '/stub/game-servers')).data
  keepSecret(apiKey)
  const put = async (ref: string) => (await stub.request('PUT', `/stub/game-servers/1/characters/${ref}`, {})).data
  const none = { account: false, linked: false, banned: false, sellingBlocked: false, recipientApproved: false }
  expect(await put('blocked')).toMatchObject({ ...none, account: true, linked: true, sellingBlocked: true })
  expect(await put('stranger')).toMatchObject(none)
  expect(await put('able')).toMatchObject({ ...none, account: true, linked: true, recipientApproved: true })
})

test('after an outage: every transaction is in its given state since its given time, and money and stock agree', async () => {
  await using stub = await serveExample('after-an-outage')
  const { control } = stub
  expect(stub.listening).toMatchObject({ time: expect.stringMatching(/^2031-05-06T20:00:0/) })
  const stories = (await list(control, 'transactions')).reverse()
  const told = stories.map((story: Record<string, unknown> & { history: { at: string; trigger: string }[] }) => {
    const { buyerCharacterRef, phase, history } = story
    return [buyerCharacterRef, phase, history.map(({ trigger }) => trigger).join(' '), history.at(-1)?.at]
  })
  expect(told).toEqual([
    ['char-2', 'completed', 'create pay deliver complete', '2031-05-05T20:00:00.000Z'],
    ['char-3', 'awaiting-server', 'create pay', '2031-05-06T18:00:00.000Z'],
    ['char-4', 'disputed', 'create pay dispute', '2031-05-06T19:00:00.000Z'],
    ['char-5', 'refunded-after-dispute', 'create pay deliver dispute refund', '2031-05-06T19:10:00.000Z'],
    ['char-7', 'expired', 'create expire', '2031-05-06T19:50:00.000Z'],
    ['char-6', 'refunded-after-failure', 'create pay fail-out-of-stock refund', '2031-05-06T19:30:00.000Z'],
    ['char-8', 'cancelled', 'create cancel', '2031-05-06T19:55:00.000Z'],
    ['char-9', 'awaiting-payment', 'create', '2031-05-06T19:59:00.000Z'],
  ])
  const [listing] = await list(control, 'listings')
  expect([listing.quantitySold, listing.estimate.observed]).toEqual([4, null])
  const deliveries = (await list(control, 'webhooks')) as { event: string; state: string; transactionId: number }[]
  const pending = deliveries.filter(({ state }) => state === 'pending')
  expect(pending.map(({ event, transactionId }) => `${event} ${transactionId}`).sort()).toEqual([
    'transaction_terminal 1',
    'transaction_terminal 4',
    'transaction_terminal 5',
    'transaction_terminal 6',
    'transaction_terminal 7',
    'transfer_order 2',
    'transfer_order 3',
  ])
})

test('the bad day: the faults are set, and happen', async () => {
  await using stub = await serveExample('bad-day')
  const { control, server } = stub
  const faults = async (name: string) => (await list(control, name)).map(({ kind }: { kind: string }) => kind)
  expect(await faults('faults')).toEqual(['delay', 'hang-up-after', 'status'])
  expect(await faults('webhook-faults')).toContain('duplicate')
  const look = () => server.call('market.eligibility', { characterRef: 'char-1' })
  const first = await look()
  expect([first.status, first.headers.get('retry-after')]).toEqual([503, '1'])
  expect((await look()).data.allowed).toBe(true)
  const purchase = { itemRef: 'offer-1', quantity: 1, buyerCharacterRef: 'char-3' }
  await expect(server.call('transaction.create', purchase)).rejects.toThrow()
  expect(await list(control, 'transactions')).toMatchObject([
    { phase: 'awaiting-payment' },
    { phase: 'awaiting-server' },
  ])
  await control.advance(0)
  const [order] = await control.deliveries(1)
  expect(order?.attempts[0]).toMatchObject({ fault: 'wrong-kid' })
})

const offer = {
  itemRef: 'a',
  gameItemId: 'g',
  itemName: 'n',
  attributes: 't',
  quantityListed: 3,
  unitAmountCents: 1,
  sellerCharacterRef: 's',
}
const bought = { itemRef: 'a', quantity: 1, buyerCharacterRef: 'b' }
const shop = (more: object) => ({ gameServers: [{ name: 'x', listings: [offer], ...more }] })

/** Why a stub does not start from a scenario, a line for each fault. */
async function refused(text: unknown): Promise<readonly string[]> {
  await using folder = await temporaryFolder()
  const file = join(folder.path, 'scenario.json')
  await writeFile(file, typeof text === 'string' ? text : JSON.stringify(text))
  try {
    const read = readScenario(file)
    await using _ = await startStub({ prepare: (parts, stubUrl) => stageScenario(read, parts, stubUrl) })
    return []
  } catch (error) {
    if (error instanceof ScenarioError) return error.lines
    throw error
  }
}

test('a scenario that is none is refused before anything happens: every fault by its field, with what to write', async () => {
  const wrong = {
    clock: { now: 'tomorrow' },
    gameServers: [
      {
        name: '',
        webhookUrl: 'ftp://x',
        characters: { c: { linked: 'yes' } },
        listings: [{ ...offer, attributes: '', observed: { quantity: -1 } }],
        transactions: [
          { ...bought, phase: 'payed' },
          { ...bought, phase: 'delivered', delivered: true },
          { phase: 'expired', itemRef: 'a', quantity: 1.5 },
        ],
        colour: 'red',
      },
    ],
    faults: [{ kind: 'status' }],
  }
  expect(await refused(wrong)).toEqual([
    'clock.now: must be a moment in UTC such as "2031-05-06T07:08:09Z", not "tomorrow"',
    'gameServers[0].name: must be a text that is not empty, not ""',
    'gameServers[0].webhookUrl: must be an http or https address such as "http://127.0.0.1:9000/webhook", not "ftp://x"',
    'gameServers[0].characters.c.linked: must be true or false, not "yes"',
    'gameServers[0].listings[0].attributes: must be a text of 1 to 255 characters, not ""',
    'gameServers[0].listings[0].observed.quantity: must be a number from 0, not -1',
    expect.stringMatching(
      /^gameServers\[0\]\.transactions\[0\]\.phase: must be "awaiting-payment" or .*"disputed".*, not "payed"$/,
    ),
    'gameServers[0].transactions[1].delivered: has no place here; remove it or mend its name',
    'gameServers[0].transactions[2].quantity: must be a whole number, not 1.5',
    'gameServers[0].transactions[2].buyerCharacterRef: is missing; give a text',
    'gameServers[0].colour: has no place here; remove it or mend its name',
    'faults[0].status: is missing; give a whole number',
  ])
})

test.each([
  ['{', /^is not valid JSON at line 1, column 2/],
  ['[]', /^is not a JSON object/],
  ['{"gameServers":[],"gameServers":[]}', /^has the name "gameServers" twice/],
  [{}, /^gameServers: is missing; give a list$/],
  [shop({ characters: { '..': {} } }), /^gameServers\[0\]\.characters\.\.\.: is not a valid name/],
  [shop({ listings: [offer, offer] }), /^gameServers\[0\]\.listings\[1\]: the platform refuses this \(ITEM_REF_USED\)/],
  [
    shop({ transactions: [{ ...bought, quantity: 4, phase: 'expired' }] }),
    /^gameServers\[0\]\.transactions\[0\]: .*\(STOCK_TOO_LOW\): Restam/,
  ],
  [
    shop({ transactions: [{ ...bought, phase: 'delivered' }] }),
    /^gameServers\[0\]\.transactions\[0\]\.phase: would be "completed" by now; give .* --completion-delay$/,
  ],
  [
    shop({ transactions: [{ ...bought, phase: 'awaiting-payment', secondsAgo: 1800 }] }),
    /^gameServers\[0\]\.transactions\[0\]\.phase: would be "expired" by now; give .* --payment-expiry$/,
  ],
  [
    {
      gameServers: [
        { name: 'x', out: 'p' },
        { name: 'y', out: './p' },
      ],
    },
    /^gameServers\[1\]\.out: is another game server's too/,
  ],
])('a scenario that cannot be reached is refused with one line: %j', async (text, line) => {
  expect(await refused(text)).toEqual([expect.stringMatching(line)])
})

test('a file that is not there, or is a folder, is said to be', async () => {
  const { code, stderr } = await run('serve', '--memory', '--scenario', '/nowhere/at-all.json')
  expect([code, stderr]).toEqual([2, 'platform-stub: /nowhere/at-all.json: no such file\n'])
  expect(() => readScenario(root)).toThrow('cannot be read: EISDIR')
})

test('a refusal names file and field, a line each, with exit 2', async () => {
  await using folder = await temporaryFolder()
  const file = join(folder.path, 'scenario.json')
  await writeFile(file, '{ "gameServers": [{ "name": 5 }], "faults": {} }')
  const { code, stderr } = await run('serve', '--port', '0', '--memory', '--scenario', file)
  expect([code, stderr]).toEqual([
    2,
    `platform-stub: ${file}: gameServers[0].name: must be a text, not 5\nplatform-stub: ${file}: faults: must be a list, not {}\n`,
  ])
})

test('a scenario wants an empty platform; a refused one leaves it empty', async () => {
  await using folder = await temporaryFolder()
  const file = join(folder.path, 'scenario.json')
  const data = join(folder.path, 'data')
  const start = (...args: string[]) => run('serve', '--port', '0', '--data-dir', data, '--scenario', file, ...args)
  await writeFile(file, JSON.stringify(shop({ transactions: [{ ...bought, phase: 'delivered' }] })))
  expect((await start()).code).toBe(2)
  {
    await using stub = await serve('--data-dir', data, '--scenario', file, '--completion-delay', '1h')
    expect(await list(stub.control, 'transactions')).toMatchObject([{ transactionId: 1, phase: 'delivered' }])
  }
  const again = await start('--completion-delay', '1h')
  expect([again.code, again.stderr]).toEqual([
    2,
    `platform-stub: ${file}: wants an empty platform; choose another --data-dir, or --memory\n`,
  ])
  await using stub = await serve('--data-dir', data)
  expect(await list(stub.control, 'transactions')).toMatchObject([{ transactionId: 1, phase: 'delivered' }])
})

test('a start that fails for its port leaves no half of a scenario behind', async () => {
  await using folder = await temporaryFolder()
  await using other = await serve('--memory')
  const { port } = new URL(other.listening.url)
  const args = ['--data-dir', join(folder.path, 'data'), '--scenario', example('open-shop')]
  expect((await run('serve', '--port', port, ...args)).code).toBe(2)
  await using stub = await serveIn(folder.path, ...args)
  expect(await list(stub.control, 'listings')).toHaveLength(3)
})

test('a scenario whose files cannot be written is refused before anything happens and can be mended', async () => {
  await using folder = await temporaryFolder()
  const file = join(folder.path, 'scenario.json')
  const out = join(folder.path, 'provisioned')
  await writeFile(file, JSON.stringify(shop({ out })))
  await writeFile(out, '')
  const args = ['--data-dir', join(folder.path, 'data'), '--scenario', file]
  const { code, stderr } = await run('serve', '--port', '0', ...args)
  expect([code, stderr]).toEqual([1, expect.stringMatching(/^platform-stub: .* cannot hold the agent's files: .*\n$/)])
  await rm(out)
  await using stub = await serve(...args)
  expect(await list(stub.control, 'listings')).toHaveLength(1)
})

test('the JSON Schema for editors is the one that scenarios are read by, and the help names the option', async () => {
  const file = join(root, 'platform-stub', 'developer', 'scenarios', 'scenario.schema.json')
  const written: unknown = JSON.parse(await readFile(file, 'utf8'))
  expect(written, 'mend it with: node scripts/scenario-schema.ts').toEqual(z.toJSONSchema(scenario, { io: 'input' }))
  expect((await run('serve', '--help')).stdout).toMatch(
    /--scenario <file> +starts an empty platform in a described\s+state/,
  )
})
