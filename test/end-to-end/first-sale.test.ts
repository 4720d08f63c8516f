import { join } from 'node:path'
import { expect, test } from 'vitest'
import { shellWord } from '../../platform-stub/pages/browser/curl-line.js'
import { codeBlocksOf, nextSecond, portsFor, runCommands, withPorts } from './fixtures/guide.ts'
import { npmStart } from './fixtures/npm-start.ts'

const blocks = codeBlocksOf('en/first-sale.md').filter(({ language }) => language === 'sh')

/** The commands of the chapter with this number, those for the first terminal left out. */
function chapter(number: number): string[] {
  return blocks
    .filter(({ heading, text }) => heading.startsWith(`${number}. `) && !text.startsWith('npm '))
    .map(({ text }) => text)
}

const [begin, asking, posted, files] = [chapter(1), chapter(3), chapter(4), chapter(5)]
/** The chapter on POST has the commands of 3.1 before its last ones. */
const http = [...posted.slice(0, 1), ...asking.slice(0, 1), ...posted.slice(1)]

/** Types commands into the second terminal, with the first one still running. */
async function typeBeside(started: Awaited<ReturnType<typeof npmStart>>, commands: readonly string[], gamePort = 9000) {
  const portOf = (url: string) => Number(new URL(url).port)
  const ports = new Map([
    ['8787', portOf(started.stubUrl)],
    ['8899', portOf(started.agentUrl)],
    ['9000', gamePort],
  ])
  const script = withPorts([...begin, ...commands].join('\n'), ports).replace(
    'cd .demo',
    `cd ${shellWord(started.folder)}`,
  )
  const printed = await runCommands(script, join(started.folder, '..'))
  expect(printed).toContain('"reported":"DELIVERED"')
  expect(printed).toContain('"outcome":"CONCLUIDA"')
  expect(printed).not.toContain('"ok":false')
}

test('the guide starts what its commands need: npm start, and for orders by POST an address', () => {
  expect(blocks.map(({ text }) => text.trim()).filter((text) => text.startsWith('npm '))).toEqual([
    'npm ci && npm start',
    'npm start -- --forward-url http://127.0.0.1:9000/orders',
  ])
  expect(begin).toEqual(['cd .demo\n'])
})

test("the guide's first sale by files, by asking and by files again: each is complete, with the commands as they are printed", async () => {
  await using started = await npmStart()
  for (const commands of [files, asking, files]) {
    await typeBeside(started, commands)
    await nextSecond()
  }
})

test("the guide's first sale over HTTP is complete, with the commands as they are printed", async () => {
  const ports = await portsFor('9000')
  const gamePort = ports.get('9000') ?? 0
  await using started = await npmStart('--forward-url', `http://127.0.0.1:${gamePort}/orders`)
  await typeBeside(started, http, gamePort)
})
