import type { ModelFs } from '../../disk/model-fs.ts'
import { type GameState, newGameState, noteStockChanges, type SaidBy } from './game-state.ts'

const dir = '/var/game'
const path = `${dir}/world.json`
const temporary = `${dir}/world.json.tmp`

/** What the game server has on its disk. */
export interface GameStore {
  /** @throws {NodeJS.ErrnoException} The disk fails. */
  read(): GameState
  /**
   * One transaction: changes a copy, and saves it whole. It survives a kill and a power cut when this returns.
   *
   * @param saidBy How the platform learns the stocks that it changes, if not by a call.
   * @throws {NodeJS.ErrnoException} The disk fails. The next call reads again what is there.
   */
  change(act: (state: GameState) => void, saidBy?: (next: GameState) => SaidBy | undefined): GameState
}

/** The directory of the game server's state. */
export const gameDir = dir

/** Opens the state of a game server for one process. */
export function openGameStore(fs: ModelFs): GameStore {
  let current: GameState | undefined
  /** Not at first, and not after an error: what can be read may still be lost by a power cut. */
  let isDurable = false

  function read(): GameState {
    current ??= fs.existsSync(path) ? (JSON.parse(fs.readFileSync(path, 'utf8')) as GameState) : newGameState()
    return current
  }

  function save(text: string): void {
    fs.writeFileSync(temporary, text)
    sync(fs, temporary)
    fs.renameSync(temporary, path)
    sync(fs, dir)
  }

  return {
    read,
    change(act, saidBy = () => undefined) {
      const before = JSON.stringify(read())
      const next = JSON.parse(before) as GameState
      act(next)
      noteStockChanges(read(), next, saidBy(next))
      const text = JSON.stringify(next)
      if (text === before && isDurable) return next
      current = undefined
      isDurable = false
      save(text)
      isDurable = true
      current = next
      return next
    },
  }
}

/** Waits until a file, or the names in a directory, survive a power cut. */
export function sync(fs: ModelFs, path: string): void {
  const fd = fs.openSync(path, 'r')
  try {
    fs.fsyncSync(fd)
  } finally {
    fs.closeSync(fd)
  }
}
