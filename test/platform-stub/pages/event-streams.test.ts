import { expect, test } from 'vitest'
import { pageStreamsMax } from '../../../platform-stub/pages/changes.ts'
import { startStub, type TestStub } from '../fixtures/stub.ts'

/** The addresses of all streams, one of each kind. */
async function streamsOf(stub: TestStub): Promise<string[]> {
  const server = await stub.gameServer()
  const { checkoutUrl } = await stub.transaction(await server.purchase())
  const { data } = await server.call('character.link', { characterRef: 'c' })
  return [`${checkoutUrl}/changes`, `${data.url}/changes`, `${stub.url}/console/changes`]
}

/** Opens a stream; its head has arrived. It stays open as long as the answer is held. */
async function open(url: string) {
  const closing = new AbortController()
  const response = await fetch(url, { signal: closing.signal })
  return { response, status: response.status, close: () => closing.abort() }
}

test('pages that are open at once are bounded, and a page that is closed makes room for another', async () => {
  await using stub = await startStub()
  const [checkout = ''] = await streamsOf(stub)
  const pages = await Promise.all(Array.from({ length: pageStreamsMax }, () => open(checkout)))
  expect(new Set(pages.map(({ status }) => status))).toEqual(new Set([200]))
  const { status, message } = await stub.request('GET', '/console/changes')
  expect([status, message]).toEqual([503, 'Há páginas demais abertas. Feche algumas e recarregue esta.'])
  for (const { close } of pages) close()
  const later = []
  // The stub learns about a closed connection a moment later; a hundred requests are many moments.
  while (later.length < 100 && later.at(-1)?.status !== 200) later.push(await open(checkout))
  expect(later.at(-1)?.status).toBe(200)
  for (const { close } of later) close()
})

test('a purchase or a link that does not exist has no stream', async () => {
  await using stub = await startStub()
  for (const path of ['/checkout/nobody/changes', '/portal/links/nobody/changes']) {
    expect((await stub.request('GET', path)).status).toBe(404)
  }
})

test('HEAD on a stream of changes is answered and leaves no page open', async () => {
  await using stub = await startStub()
  for (const url of await streamsOf(stub)) {
    for (let n = 0; n < pageStreamsMax; n++) {
      const { status, headers } = await fetch(url, { method: 'HEAD' })
      expect([status, headers.get('content-type')]).toEqual([200, 'text/event-stream'])
    }
  }
  const { status, close } = await open(`${stub.url}/console/changes`)
  expect(status).toBe(200)
  close()
})
