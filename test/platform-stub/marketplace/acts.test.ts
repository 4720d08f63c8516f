import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import {
  pathOfAct,
  transactionActNames,
  transactionActs,
} from '../../../platform-stub/marketplace/transactions/acts.ts'
import { run } from '../fixtures/process.ts'
import { startReceiver } from '../fixtures/receiver.ts'
import { startStub } from '../fixtures/stub.ts'

const guides = [
  ['en', 'docs/en/stub.md', { buyer: 'buyer', time: 'time', staff: 'staff', 'game-server': 'game server' }],
  [
    'pt',
    'docs/pt-BR/stub.md',
    { buyer: 'comprador', time: 'tempo', staff: 'equipe', 'game-server': 'servidor de jogo' },
  ],
] as const

test.each(guides)('the guide in %s has exactly the acts of the table', (language, page, who) => {
  const text = readFileSync(join(import.meta.dirname, '..', '..', '..', page), 'utf8')
  const [, rows = ''] = /\n### 3\.3 .*?\n\|---\|---\|---\|\n((?:\|[^\n]*\n)+)/s.exec(text) ?? []
  const wanted = transactionActNames.map((name) => {
    const { by, does } = transactionActs[name]
    return `| \`${name}\` | ${who[by]} | ${does[language]} |\n`
  })
  expect(rows).toBe(wanted.join(''))
})

test('the help of `platform-stub trigger` has every act of the table', async () => {
  const { stdout } = await run('trigger', '--help')
  const help = stdout.replaceAll(/\s+/g, ' ')
  for (const name of transactionActNames) expect(help).toContain(transactionActs[name].does.en)
})

test('every act of the table has a control route, and the console a button where it applies', async () => {
  await using receiver = await startReceiver()
  await using stub = await startStub()
  const server = await stub.gameServer({ keyFrom: 'stub', webhookUrl: receiver.url })
  await server.listing({ itemRef: 'sword-1' })
  const buy = async () => {
    const { data } = await stub.request('POST', '/stub/listings/1/buy', { quantity: 1, buyerCharacterRef: 'c' })
    return data.transactionId
  }
  const bodies: Record<string, object> = { fail: { reason: 'TEMPORARY', observedQuantity: 5 } }
  const act = async (id: number, name: (typeof transactionActNames)[number]) => {
    const page = await (await fetch(`${stub.url}/console/transactions/${id}`)).text()
    expect([name, page.includes(`action="${pathOfAct(id, name)}"`)]).toEqual([name, true])
    expect([name, (await stub.request('POST', pathOfAct(id, name), bodies[name])).status]).toEqual([name, 200])
    return name
  }
  const courses = [
    ['pay', 'fail', 'deliver'],
    ['cancel'],
    ['expire'],
    ['pay', 'dispute', 'reject-dispute', 'dispute', 'refund'],
  ] as const
  const done: string[] = []
  for (const course of courses) {
    const id = await buy()
    for (const name of course) done.push(await act(id, name))
  }
  expect([...new Set(done)].sort()).toEqual([...transactionActNames].sort())
  for (const name of ['constructor', '__proto__', 'complete']) {
    expect((await stub.request('POST', `/stub/transactions/1/${name}`)).status).toBe(404)
  }
})
