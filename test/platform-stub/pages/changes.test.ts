import { expect, test } from 'vitest'
import { StubClock } from '../../../platform-stub/clock/clock.ts'
import { Changes } from '../../../platform-stub/pages/changes.ts'
import { manualTime } from '../fixtures/manual-time.ts'
import { startStub } from '../fixtures/stub.ts'

test('an open page gets the first change at once and those that follow closely together', async () => {
  const { time, pass } = manualTime()
  const changes = new Changes(new StubClock(time, 0))
  const told = reading(stream(changes, () => changes.version))
  const first = await told.next()
  changes.note()
  pass(0)
  expect(await told.next()).not.toBe(first)
  for (let count = 0; count < 100; count++) changes.note()
  pass(249)
  expect(told.count()).toBe(2)
  pass(1)
  pass(0)
  expect(await told.next()).toBe(changes.version)
  pass(1_000)
  expect(told.count()).toBe(3)
})

test('an open page gets nothing while what it shows stays the same', async () => {
  const { time, pass } = manualTime()
  const changes = new Changes(new StubClock(time, 0))
  const told = reading(stream(changes, () => 'the same'))
  expect(await told.next()).toBe('the same')
  for (let count = 0; count < 10; count++) {
    changes.lookAgain()
    pass(250)
  }
  pass(60_000)
  expect(told.count()).toBe(1)
})

test('an open page does not keep the stub from ending', async () => {
  const stub = await startStub()
  const response = await fetch(`${stub.url}/console/changes`)
  expect(response.headers.get('content-type')).toBe('text/event-stream')
  await stub.close()
  // A stream that was cut when the time for an end was up could not be read to its end.
  expect(await response.text()).toMatch(/^data: /)
})

function stream(changes: Changes, look: () => string): ReadableStream<Uint8Array> {
  const { body } = changes.stream(look)
  if (!body) throw new Error('no stream')
  return body
}

/** What a stream of server-sent events said so far, and what it says next. */
function reading(stream: ReadableStream<Uint8Array>) {
  const said: string[] = []
  let given = 0
  let wake = (): void => undefined
  void stream.pipeTo(
    new WritableStream({
      write(chunk) {
        for (const [, data = ''] of new TextDecoder().decode(chunk).matchAll(/^data: (.*)$/gm)) said.push(data)
        wake()
      },
    }),
  )
  return {
    count: () => said.length,
    async next(): Promise<string> {
      while (said.length === given) {
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
      return said[given++] ?? ''
    },
  }
}
