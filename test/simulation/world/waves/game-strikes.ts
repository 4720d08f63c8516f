import { removeDirectoryAfterChange } from '../../faults/host-faults.ts'
import { waveMs } from '../day.ts'
import type { Server } from '../server.ts'
import type { WaveTime } from './wave-time.ts'

/** Longer than the file of an order may be acted on. */
const awayMs = { min: waveMs, max: 240_000 }

/** What waits for the game server must be shown again, and stay fresh. */
export function endGame({ game, host }: Server, { random, within, later }: WaveTime): void {
  within(0, 'a game server ends', () => {
    game.process?.end()
    if (random.happens(0.5)) host.removeDir(random.pick(host.removableDirs), random.between(0, waveMs))
    later(awayMs, 'a game server is started again', () => game.start())
  })
}

/** The event must be shown again, and its reply be asked for again. */
export function sayGarbage({ host, quirks }: Server, { random, atEnd }: WaveTime): void {
  quirks.saysGarbage = true
  const stopWatching = removeDirectoryAfterChange({ hosts: [host] }, random)
  atEnd('a game server says nothing wrong any more', () => {
    quirks.saysGarbage = false
    stopWatching()
  })
}
