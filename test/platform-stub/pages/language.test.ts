import { expect, test } from 'vitest'
import { en } from '../../../platform-stub/pages/texts/en.ts'
import { pt } from '../../../platform-stub/pages/texts/pt.ts'
import { readPage } from '../fixtures/page.ts'
import { startStub } from '../fixtures/stub.ts'

test.each([
  ['', 'en'],
  ['en-US,en;q=0.9', 'en'],
  ['pt-BR,pt;q=0.9,en-US;q=0.8', 'pt-BR'],
  ['pt-PT', 'pt-BR'],
  ['de,pt;q=0.5', 'pt-BR'],
  ['de, fr;q=0.5', 'en'],
  ['pt;q=0, en;q=0.1', 'en'],
  ['-;;q=,', 'en'],
])('a browser that asks for "%s" gets the console in %s', async (accepted, lang) => {
  await using stub = await startStub()
  const page = await readPage(`${stub.url}/console/faults`, { headers: { 'Accept-Language': accepted } })
  expect(page.attributesOf('html', 'lang')).toEqual([lang])
  expect(page.textsOf('nav a')).toContain(lang === 'en' ? 'Game servers' : 'Servidores de jogo')
  expect(page.headers.get('set-cookie')).toBe(null)
})

test('the switch is remembered for every page and leaves the address, with its query as it was', async () => {
  await using stub = await startStub()
  const switched = await fetch(`${stub.url}/console/transactions?search=a%26b&lang=pt-BR&phase=failed`, {
    redirect: 'manual',
  })
  expect([switched.status, switched.headers.get('location')]).toEqual([
    302,
    '/console/transactions?search=a%26b&phase=failed',
  ])
  const [cookie = ''] = switched.headers.getSetCookie()[0]?.split(';') ?? []
  const langOf = async (path: string, headers: Record<string, string>) => {
    const page = await readPage(stub.url + path, { headers: { 'Accept-Language': 'en', ...headers } })
    return page.attributesOf('html', 'lang')[0]
  }
  for (const path of ['/console', '/console/faults', '/console/transactions/99', '/console/unknown']) {
    expect([await langOf(path, { Cookie: cookie }), await langOf(path, {})], path).toEqual(['pt-BR', 'en'])
  }
  expect(await langOf('/console', { Cookie: 'platform-stub-language=de' })).toBe('en')
  const back = await fetch(`${stub.url}/console?lang=en`, { headers: { Cookie: cookie }, redirect: 'manual' })
  expect([back.headers.get('location'), back.headers.getSetCookie()[0]]).toEqual([
    '/console',
    expect.stringMatching(/^platform-stub-language=en;/),
  ])
})

test('each text of the console is translated', () => {
  const portuguese = textsIn(pt)
  const same = [...textsIn(en)].filter(([name, text]) => text === portuguese.get(name)).map(([, text]) => text)
  expect([...new Set(same)].toSorted()).toEqual([
    ...['+1 h', '+1 min', '+15 min', 'Console', 'Item', 'OpenAPI', 'Payload', 'Retry-After, s', 'Status'],
    ...['UTC', 'Webhook {}', 'Webhooks', '{} bytes'],
  ])
})

/** Each text of a catalogue by its name, with `{}` for the values of it. */
function textsIn(texts: object, path = ''): Map<string, string> {
  return new Map(
    Object.entries(texts).flatMap(([name, text]: [string, unknown]) => {
      if (typeof text === 'function') return [[path + name, String(text(...Array(text.length).fill('{}')))]]
      const isGroup = typeof text === 'object' && text !== null && !(text instanceof String)
      return isGroup ? [...textsIn(text, `${path}${name}.`)] : [[path + name, String(text)]]
    }),
  )
}
