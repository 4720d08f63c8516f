import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Hopeless, until } from '../../scripts/until.ts'
import type { Example, Place } from './examples.ts'
import { GameProcess } from './game-process.ts'
import { type World, WorldFile } from './world-file.ts'

export interface GameServerOrder {
  readonly example: Example
  readonly place: Place
  /** Its working directory, in which its world lies. */
  readonly dir: string
  readonly env: Readonly<Record<string, string>>
}

/** An example that runs, is killed, and is started again. */
export class GameServer implements AsyncDisposable {
  /** All that it printed, over all its lives. */
  readonly printed: string[] = []
  readonly #order: GameServerOrder
  /** What it has saved. It may be changed while the game server is down. */
  readonly saved: WorldFile
  readonly #worldDir: string
  #processes: readonly GameProcess[] = []
  #unexpectedEnd: string | undefined

  constructor(order: GameServerOrder) {
    this.#order = order
    this.#worldDir = join(order.dir, 'world')
    mkdirSync(this.#worldDir, { recursive: true })
    this.saved = new WorldFile(this.#worldDir)
  }

  /** Starts it and waits until it says `pronto`. */
  async start(): Promise<void> {
    const { example, place, dir, env } = this.#order
    const from = this.printed.length
    this.#processes = example.start(place).map(
      (command) =>
        new GameProcess({
          command,
          cwd: dir,
          env: { ...env, WORLD_DIR: this.#worldDir },
          isStartedAgain: example.isStartedAgain === true,
          onLine: (line) => this.printed.push(line),
          onEnd: (how) => {
            this.#unexpectedEnd = `${command.join(' ')}: ${how}`
          },
        }),
    )
    await this.#line(from, (line) => line === 'pronto', 'pronto')
  }

  /** As a crash does. */
  async kill(): Promise<void> {
    await Promise.all(this.#processes.map((process) => process.kill()))
    this.#processes = []
  }

  /** A command and the one line that answers it, without the name of the command. */
  async command(line: string): Promise<string> {
    const from = this.printed.length
    const [name = ''] = line.split(' ')
    await this.#type(line)
    return (await this.#line(from, (printed) => printed.startsWith(`${name}: `), line)).slice(name.length + 2)
  }

  /** What it has saved. */
  world(): World {
    this.#checkAlive()
    return this.saved.read()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.kill()
  }

  async #type(line: string): Promise<void> {
    if (this.#order.example.console === 'stdin') return this.#processes[0]?.type(line)
    const path = join(this.#worldDir, 'console.txt')
    await this.#until(() => !existsSync(path), 'free console.txt')
    writeFileSync(`${path}.tmp`, `${line}\n`)
    renameSync(`${path}.tmp`, path)
  }

  #line(from: number, fits: (line: string) => boolean, what: string): Promise<string> {
    return this.#until(() => this.printed.slice(from).find(fits), `line after "${what}"`)
  }

  /** Rejects at once when the game server ends by itself. */
  #until<Found>(look: () => Found, what: string) {
    return until(() => {
      this.#checkAlive()
      return look()
    }, what)
  }

  #checkAlive(): void {
    if (this.#unexpectedEnd) throw new Hopeless(`the game server ended: ${this.#unexpectedEnd}`)
  }
}
