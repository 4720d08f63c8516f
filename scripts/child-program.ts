import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'

const startTimeoutMs = 60_000
const endTimeoutMs = 5_000
/** Short, because the time to the first connection is measured by this too. */
const lookIntervalMs = 2

/** A program, as a person would start it. */
export interface ProgramOrder {
  /** Its name in messages. */
  readonly name: string
  readonly command: readonly string[]
  readonly env: Readonly<Record<string, string>>
  /** Its output is written here; the file is overwritten. */
  readonly logFile: string
  /** The address of a program that does not print one. It listens as soon as it accepts a connection. */
  readonly listensAt?: string
  /** The message of its log line that says that it has started; `listening` if left out. */
  readonly startedWith?: string
}

/** A program that listens. Disposing ends it. */
export interface RunningProgram extends AsyncDisposable {
  readonly name: string
  readonly pid: number
  /** From the line of its log that says that it has started, or `listensAt`. Empty if that line has no address. */
  readonly url: string
  /** For signals, and for its end. */
  readonly child: ChildProcess
}

const running = new Set<ChildProcess>()

/** Ends all programs with this process. */
function killRunning(): void {
  for (const child of running) child.kill('SIGKILL')
}

/**
 * Starts a program and waits until it listens. Its output goes to a file, never through this process.
 *
 * @throws {Error} It ended, or did not listen within 60 s. The message has the end of its output.
 */
export async function startProgram(order: ProgramOrder): Promise<RunningProgram> {
  const { name, command, env, logFile, listensAt, startedWith } = order
  const [file = '', ...args] = command
  const log = openSync(logFile, 'w')
  const child = spawn(file, args, {
    env: { ...bareEnvironment(), ...env },
    stdio: ['ignore', log, log],
  })
  closeSync(log)
  if (!process.listeners('exit').includes(killRunning)) process.prependListener('exit', killRunning)
  running.add(child)
  child.once('exit', () => running.delete(child))
  const failed = once(child, 'error').then(([error]) => Promise.reject(error))
  failed.catch(() => running.delete(child))

  try {
    const said = (): Promise<string | undefined> =>
      listensAt ? reached(listensAt) : Promise.resolve(urlInLog(logFile, startedWith))
    const url = await Promise.race([failed, untilListening(child, name, logFile, said)])
    return { name, pid: child.pid ?? 0, url, child, [Symbol.asyncDispose]: () => end(child) }
  } catch (error) {
    child.kill('SIGKILL')
    throw error
  }
}

/** Only what every program needs: no proxy, no SERVICE_ variable, and of Node's options only where it caches. */
function bareEnvironment(): Record<string, string> {
  const names = ['PATH', 'HOME', 'TMPDIR', 'TEMP', 'TMP', 'SystemRoot', 'LANG', 'NODE_COMPILE_CACHE']
  return Object.fromEntries(names.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])))
}

async function untilListening(
  child: ChildProcess,
  name: string,
  logFile: string,
  urlIfListening: () => Promise<string | undefined>,
): Promise<string> {
  const deadlineMs = performance.now() + startTimeoutMs
  while (performance.now() < deadlineMs && child.exitCode === null && child.signalCode === null) {
    const url = await urlIfListening()
    if (url !== undefined) return url
    await wait(lookIntervalMs)
  }
  const output = readFileSync(logFile, 'utf8').slice(-2_000)
  throw new Error(`${name} did not come to listen (exit ${child.exitCode ?? child.signalCode}):\n${output}`)
}

/** The address in the first line of a log with a message; empty if that line has none, undefined without such a line. */
export function urlInLog(logFile: string, message = 'listening'): string | undefined {
  const line = readFileSync(logFile, 'utf8')
    .split('\n')
    .find((candidate) => candidate.includes(`"msg":"${message}"`))
  return line === undefined ? undefined : ((JSON.parse(line) as { url?: string }).url ?? '')
}

async function reached(url: string): Promise<string | undefined> {
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port) })
  try {
    await once(socket, 'connect')
    return url
  } catch {
    return undefined
  } finally {
    socket.destroy()
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (!running.has(child)) return
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  const impatience = setTimeout(() => child.kill('SIGKILL'), endTimeoutMs)
  await ended
  clearTimeout(impatience)
}
