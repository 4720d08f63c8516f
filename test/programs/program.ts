import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { appendFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { outputFile } from '../outputs/outputs.ts'

/** How a process ended. */
export interface ProcessEnd {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

/** How a process ended, and all that it printed. */
export interface Ended extends ProcessEnd {
  readonly stdout: string
  readonly stderr: string
}

export interface ProgramOptions {
  /** The whole environment; that of this process if left out. */
  readonly env?: NodeJS.ProcessEnv
  readonly cwd?: string
}

/** A process that a test started. Disposing kills it. */
export interface Program extends AsyncDisposable {
  readonly child: ChildProcessWithoutNullStreams
  readonly pid: number
  readonly stdout: () => string
  readonly stderr: () => string
  /** Everything printed so far, in the order in which it came. */
  readonly output: () => string
  /** Resolves when its output contains a text or matches a pattern; rejects when it ends before. */
  printed(wanted: string | RegExp): Promise<RegExpExecArray>
  /** The url of its log line `listening`; rejects when it ends before. */
  readonly listening: Promise<string>
  /** Stops reading its standard output, as a reader does that ends. */
  closeOutput(): void
  /** Resolves when it is gone and everything that it printed was read. */
  readonly ended: Promise<ProcessEnd>
  /** SIGKILL, and its end. */
  kill(): Promise<ProcessEnd>
  /** SIGTERM, and its end. On Windows, where SIGTERM kills, Ctrl+C in its own console. */
  stop(): Promise<ProcessEnd>
}

/** Starts a program: every process of the tests under this roof. Its output is searched for secrets at the end of the run. */
export function spawnProgram(command: readonly string[], { env = process.env, cwd }: ProgramOptions = {}): Program {
  const [file = '', ...args] = command
  // Halves the time of a start from source, and tests start programs by the hundred.
  const whole = { NODE_COMPILE_CACHE: join(tmpdir(), 'market-agent-compile-cache'), ...env }
  const child = spawn(file, args, { env: whole, cwd, stdio: 'pipe' })
  const kept = outputFile('program')
  const printed = { stdout: '', stderr: '', output: '' }
  const looks = new Set<() => void>()
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (chunk: string) => {
      appendFileSync(kept, chunk)
      printed[name] += chunk
      printed.output += chunk
      for (const look of looks) look()
    })
  }
  // What is typed for a program that has ended is lost.
  child.stdin.on('error', () => undefined)
  const ended = new Promise<ProcessEnd>((resolve) => {
    child.once('close', (code, signal) => resolve({ code, signal }))
    child.once('error', () => resolve({ code: null, signal: null }))
  })
  const matching = (pattern: RegExp): Promise<RegExpExecArray> =>
    new Promise((resolve, reject) => {
      const look = () => {
        const match = pattern.exec(printed.output)
        if (match) resolve(match)
        if (match) looks.delete(look)
      }
      looks.add(look)
      void ended.then(() => reject(new Error(`the program ended before it printed ${pattern}:\n${printed.output}`)))
      look()
    })
  const listening = matching(/"url":"(http:[^"]+)"[^\n]*"msg":"listening"/).then((match) => match[1] ?? '')
  listening.catch(() => undefined)
  const end = (signal: NodeJS.Signals) => {
    child.kill(signal)
    return ended
  }
  return {
    child,
    pid: child.pid ?? 0,
    stdout: () => printed.stdout,
    stderr: () => printed.stderr,
    output: () => printed.output,
    printed: (wanted) => matching(typeof wanted === 'string' ? new RegExp(RegExp.escape(wanted)) : wanted),
    listening,
    closeOutput: () => child.stdout.destroy(),
    ended,
    kill: () => end('SIGKILL'),
    stop: () => (process.platform === 'win32' ? endByCtrlC(child, ended) : end('SIGTERM')),
    [Symbol.asyncDispose]: async () => void (await end('SIGKILL')),
  }
}

async function endByCtrlC({ pid = 0 }: ChildProcess, ended: Promise<ProcessEnd>): Promise<ProcessEnd> {
  const { pressCtrlC } = await import('../systems/windows/console.ts')
  pressCtrlC(pid)
  return ended
}

/** Runs a program to its end, with nothing at its standard input. */
export async function runProgram(command: readonly string[], options?: ProgramOptions): Promise<Ended> {
  const program = spawnProgram(command, options)
  program.child.stdin.end()
  const end = await program.ended
  return { ...end, stdout: program.stdout(), stderr: program.stderr() }
}
