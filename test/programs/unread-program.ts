import { execFileSync, spawn } from 'node:child_process'
import { appendFileSync, closeSync, constants, mkdtempSync, openSync, readSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { outputFile } from '../outputs/outputs.ts'

/** A program whose standard output is a pipe that is read only when the test asks for it. */
export function spawnUnread(command: readonly string[], env: NodeJS.ProcessEnv = process.env) {
  const [file = '', ...args] = command
  const folder = mkdtempSync(join(tmpdir(), 'unread-output-'))
  const path = join(folder, 'pipe')
  execFileSync('mkfifo', [path])
  // Open in both directions, so that the pipe has a reader which does not read.
  const reading = openSync(path, constants.O_RDWR | constants.O_NONBLOCK)
  const writing = openSync(path, 'w')
  const child = spawn(file, args, { env, stdio: ['ignore', writing, 'inherit'] })
  closeSync(writing)
  const ended = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)))
  const kept = outputFile('unread-output')
  const bytes = Buffer.alloc(65_536)
  let text = ''
  return {
    /** Everything printed so far, read now. */
    read(): string {
      try {
        for (;;) {
          const part = bytes.toString('latin1', 0, readSync(reading, bytes))
          appendFileSync(kept, part)
          text += part
        }
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error
      }
      return text
    },
    /** Its exit code. */
    signal(signal: NodeJS.Signals): Promise<number | null> {
      child.kill(signal)
      return ended
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await ended
      closeSync(reading)
      rmSync(folder, { recursive: true })
    },
  }
}

/** The lines of a log that are whole. @throws {SyntaxError} One of them is not JSON. */
export function logLinesOf(text: string): Record<string, unknown>[] {
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line))
}
