import { once } from 'node:events'
import { join } from 'node:path'
import { Pool } from 'undici'
import { type RunningProgram, startProgram } from '../child-program.ts'
import { closedLoop, type Load, type LoadOrder } from './closed-loop.ts'
import type { LoadReport } from './own-process-caller.ts'
import type { Testbed } from './testbed.ts'
import { checkAnswer, endlessCalls } from './work.ts'

/** The letters of the table: (b) through the agent, (c) through the simple sidecar, (d) signed in the caller itself. */
export type WayLetter = 'b' | 'c' | 'd'

/** A way on which a call can reach the platform. */
export interface Way extends AsyncDisposable {
  readonly letter: WayLetter
  /** The process that signs. */
  readonly pid: number
  /** Puts load on it and reports; rejects with the first call that was not answered as it should be. */
  readonly load: (order: LoadOrder) => Promise<Load>
}

/** (b) and (c): a program that answers POST /call, and the same HTTP client in front of either. */
export async function wayThroughProgram(
  letter: WayLetter,
  name: string,
  command: readonly string[],
  testbed: Testbed,
): Promise<Way> {
  const program = await startProgram({
    name,
    command,
    env: testbed.agentEnv,
    logFile: join(testbed.dir, `${name}.log`),
  })
  const pool = new Pool(program.url, { connections: null })
  return {
    letter,
    pid: program.pid,
    load: (order) => {
      const calls = endlessCalls(order.work)
      return closedLoop(order, async () => {
        const call = calls.next().value
        const { body } = await pool.request({
          method: 'POST',
          path: '/call',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(call),
        })
        checkAnswer(call, JSON.parse(await body.text()))
      })
    },
    [Symbol.asyncDispose]: async () => {
      await pool.destroy()
      await program[Symbol.asyncDispose]()
    },
  }
}

/** (c) */
export function wayThroughSimpleSidecar(testbed: Testbed): Promise<Way> {
  const file = join(import.meta.dirname, 'simple-sidecar.ts')
  return wayThroughProgram('c', 'simple-sidecar', [process.execPath, file], testbed)
}

/** (d): the caller makes the load in its own process, so that fetch there is Node's own and untouched. */
export async function wayFromOwnProcess(testbed: Testbed): Promise<Way> {
  const program = await startProgram({
    name: 'own-process-caller',
    command: [process.execPath, join(import.meta.dirname, 'own-process-caller.ts')],
    env: testbed.agentEnv,
    logFile: join(testbed.dir, 'own-process-caller.log'),
    withMessages: true,
  })
  return {
    letter: 'd',
    pid: program.pid,
    load: (order) => ordered(program, order),
    [Symbol.asyncDispose]: () => program[Symbol.asyncDispose](),
  }
}

async function ordered({ child, name }: RunningProgram, order: LoadOrder): Promise<Load> {
  const settled = new AbortController()
  try {
    const reported = once(child, 'message', { signal: settled.signal })
    const ended = once(child, 'exit', { signal: settled.signal }).then(([code]) => {
      throw new Error(`${name} ended with ${code}`)
    })
    child.send(order)
    const [report] = (await Promise.race([reported, ended])) as [LoadReport]
    if ('failure' in report) throw new Error(`${name}: ${report.failure}`)
    return report.load
  } finally {
    settled.abort()
  }
}
