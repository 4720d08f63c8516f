import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { setTimeout as wait } from 'node:timers/promises'

const againMs = 300
const isWindows = process.platform === 'win32'
const running = new Set<ChildProcess>()
process.on('exit', () => {
  for (const child of running) killGroup(child)
})

export interface ProcessOrder {
  readonly command: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  /** It ends by itself after each round and is started again. */
  readonly isStartedAgain: boolean
  readonly onLine: (line: string) => void
  /** It ended without being killed and is not started again. */
  readonly onEnd: (how: string) => void
}

/** A process of an example, or one after the other as by cron. */
export class GameProcess {
  readonly #order: ProcessOrder
  #child: ChildProcess
  #isKilled = false

  constructor(order: ProcessOrder) {
    this.#order = order
    this.#child = this.#spawn()
  }

  type(line: string): void {
    this.#child.stdin?.write(`${line}\n`)
  }

  /** SIGKILL, to what it started too. Resolves when it is gone and all that it printed was read. */
  async kill(): Promise<void> {
    this.#isKilled = true
    if (!running.has(this.#child)) return
    const closed = once(this.#child, 'close')
    killGroup(this.#child)
    await closed
  }

  #spawn(): ChildProcess {
    const { command, cwd, env, onLine } = this.#order
    const [file = '', ...args] = command
    const child = spawn(file, args, { cwd, env: { ...process.env, ...env }, stdio: 'pipe', detached: !isWindows })
    running.add(child)
    for (const stream of [child.stdout, child.stderr]) createInterface({ input: stream }).on('line', onLine)
    // A process that was killed has no reader.
    child.stdin.on('error', () => undefined)
    child.once('error', (error) => this.#order.onEnd(error.message))
    child.once('close', (code, signal) => {
      running.delete(child)
      void this.#ended(code, signal)
    })
    return child
  }

  async #ended(code: number | null, signal: string | null): Promise<void> {
    const { isStartedAgain, onEnd } = this.#order
    if (isStartedAgain && code === 0) await wait(againMs)
    if (this.#isKilled) return
    if (isStartedAgain && code === 0) this.#child = this.#spawn()
    else onEnd(`exit ${code ?? signal}`)
  }
}

function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return
  try {
    // Windows has no process groups of this kind.
    if (isWindows) execFileSync('taskkill', ['/t', '/f', '/pid', String(pid)], { stdio: 'ignore' })
    else process.kill(-pid, 'SIGKILL')
  } catch {
    // It is gone already.
  }
}
