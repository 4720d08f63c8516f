import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import { type Line, openLine } from './drive.ts'
import { freePort } from './free-port.ts'

const patienceMs = 20_000

/**
 * From the start of a process to its first answer.
 *
 * @param commandFor The program with the port that it is to listen on.
 * @param request Whole, as bytes, signed before.
 * @returns Milliseconds.
 * @throws {Error} It did not answer within 20 s, or not with 200.
 */
export async function coldStartMs(
  commandFor: (port: number) => readonly string[],
  request: Buffer,
  dir: string,
): Promise<number> {
  const port = await freePort()
  const [file = '', ...args] = commandFor(port)
  const beginMs = performance.now()
  const child = spawn(file, args, { cwd: dir, stdio: 'ignore' })
  const kill = (): void => void child.kill('SIGKILL')
  process.once('exit', kill)
  try {
    const line = await firstLine(`http://127.0.0.1:${port}`, child, beginMs)
    await line.ask(request)
    const answeredMs = performance.now()
    line.close()
    return answeredMs - beginMs
  } finally {
    await end(child)
    process.off('exit', kill)
  }
}

async function firstLine(url: string, child: ChildProcess, beginMs: number): Promise<Line> {
  for (;;) {
    try {
      return await openLine(url)
    } catch (error) {
      if (child.exitCode !== null) throw new Error(`${child.spawnfile} ended with ${child.exitCode}; is it up to date?`)
      if (performance.now() - beginMs > patienceMs) throw error
      await wait(1)
    }
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  const impatience = setTimeout(() => child.kill('SIGKILL'), 5_000)
  await ended
  clearTimeout(impatience)
}
