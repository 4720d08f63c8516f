import { expect, test } from 'vitest'
import { temporaryFolder } from '../platform-stub/fixtures/process.ts'
import { codeBlocksOf, portsFor, runCommands, withPorts } from './fixtures/guide.ts'

const blocks = codeBlocksOf('en/first-sale.md').filter(({ language }) => language === 'sh')

/** The commands of the chapter with this number. */
function chapter(number: number): string[] {
  return blocks.filter(({ heading }) => heading.startsWith(`${number}. `)).map(({ text }) => text)
}

const [http, files, asking] = [chapter(3), chapter(4), chapter(5)]
/** Of the chapter on asking, 5.2 are the commands of 3.3. */
const ways = {
  'over HTTP': http,
  'over files': files,
  'by asking': [...asking.slice(0, 1), ...http.filter((text) => text.includes('market.register')), ...asking.slice(1)],
} as const

for (const [way, commands] of Object.entries(ways)) {
  test(`the guide's first sale ${way} is listed, paid, delivered and complete, with the commands as they are printed`, async () => {
    await using folder = await temporaryFolder()
    const ports = await portsFor('8787', '8898', '8899', '9000')
    const script = withPorts(['cd "$REPOSITORY"', ...chapter(1), ...commands].join('\n'), ports)
      // The test is run after the build.
      .replace('npm ci && npm run build\n', '')
      .replace('serve --memory', `serve --memory --port ${ports.get('8787')}`)
      .replace(
        'provision ',
        `provision --agent-port ${ports.get('8899')} --webhook-url http://127.0.0.1:${ports.get('8898')}/webhook `,
      )
    const printed = await runCommands(script, folder.path)
    expect(printed).toContain('"deliveryStatus":"ENTREGUE"')
    expect(printed).toContain('"outcome":"CONCLUIDA"')
    expect(printed).not.toContain('"ok":false')
  })
}
