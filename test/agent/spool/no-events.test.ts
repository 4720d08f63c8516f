import { EventEmitter } from 'node:events'
import { expect, test, vi } from 'vitest'
import { eligible, startTestSpool } from '../fixtures/spool-fixture.ts'

// What a host without inotify, or with no watches left, does to chokidar.
vi.mock('chokidar', () => ({
  watch() {
    const watcher = Object.assign(new EventEmitter(), { close: async () => undefined })
    setImmediate(() => watcher.emit('error', Object.assign(new Error('no watches left'), { code: 'ENOSPC' })))
    return watcher
  },
}))

test('without any file event requests are answered all the same, by the next look', async () => {
  await using spool = await startTestSpool()
  for (let n = 0; n < 5; n++) {
    const putAtMs = performance.now()
    spool.put(`ask-${n}`, eligible)
    expect(await spool.take(`ask-${n}`)).toMatchObject({ ok: true })
    expect(performance.now() - putAtMs).toBeLessThan(2_000)
  }
  expect(spool.logText()).toContain('no file events; the outbox is scanned every 200 ms')
})
