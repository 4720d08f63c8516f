import { relative } from 'node:path'
import { watch } from 'chokidar'
import type { WatchDir } from './outbox-events.ts'

/** Watches a directory of this host. */
export const watchDir: WatchDir = (dir, onEvent, onError) => {
  // The names in the directory are left out: to look at each would cost more than the scan that follows. chokidar writes
  // the path of the directory with other separators on Windows.
  const watcher = watch(dir, { depth: 0, ignoreInitial: true, ignored: (path) => relative(dir, path) !== '' })
  watcher.on('raw', onEvent)
  watcher.on('error', (error) => onError(error as Error))
  return () => void watcher.close()
}
