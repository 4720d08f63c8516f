import type { Clock } from '../../../../agent/clock/clock.ts'
import type { ModelFs } from '../../disk/model-fs.ts'
import type { ModelProcess } from '../../process.ts'

/** A writer that does not rename writes in pieces. A file that does not change for 2 s counts as written. */
const pauseMs = { min: 50, max: 1_500, late: 1_900 }
/** An empty file is not written yet. */
const emptyMs = { min: 2_100, max: 8_000, late: 9_500 }
const emptyRate = 0.2
const piecesMax = 4

/** What a process writes with. */
export interface Writing {
  readonly process: ModelProcess
  readonly clock: Clock
  readonly fs: ModelFs
}

/** What is written in place. */
interface WrittenInPlace {
  readonly path: string
  readonly text: string
  /** The file of a request counts as written only after 10 s while it is empty. */
  readonly mayBeEmpty: boolean
}

/**
 * Writes a file under its final name, piece by piece.
 *
 * @param onTooSlow Called when it did not change for so long that it may count as written.
 * @throws {NodeJS.ErrnoException} It is there already, or the disk fails.
 */
export async function writeInPlace(
  { process: { random }, clock, fs }: Writing,
  { path, text, mayBeEmpty }: WrittenInPlace,
  onTooSlow: () => void,
): Promise<void> {
  const fd = fs.openSync(path, 'wx')
  try {
    const pause = async ({ min, max, late }: typeof pauseMs) => {
      const sinceMs = clock.monotonicMs()
      await clock.sleep(random.between(min, max))
      if (clock.monotonicMs() - sinceMs > late) onTooSlow()
    }
    if (mayBeEmpty && random.happens(emptyRate)) await pause(emptyMs)
    let written = 0
    for (let pieces = Math.min(text.length - 1, random.integer(1, piecesMax)); pieces > 0; pieces--) {
      const end = random.integer(written + 1, text.length - pieces)
      fs.writeSync(fd, Buffer.from(text.slice(written, end)))
      written = end
      await pause(pauseMs)
    }
    fs.writeSync(fd, Buffer.from(text.slice(written)))
    fs.fsyncSync(fd)
  } finally {
    fs.closeSync(fd)
  }
}
