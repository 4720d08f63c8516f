import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { join } from 'node:path'
import { type RunningProgram, startProgram } from '../child-program.ts'
import { callerConnections } from './caller-connections.ts'
import { closedLoop, type Load, type LoadOrder } from './closed-loop.ts'
import type { LoadReport } from './own-process-caller.ts'
import type { Testbed } from './testbed.ts'
import { checkAnswer, endlessCalls } from './work.ts'

/**
 * The letters of the table: through (b) the agent, (c) the simple, (e) the bare sidecar, (f) the bare relay; (d) signed
 * in the caller.
 */
export type WayLetter = 'b' | 'c' | 'd' | 'e' | 'f'

/** A way on which a call can reach the platform. */
export interface Way extends AsyncDisposable {
  readonly letter: WayLetter
  /** The process that signs. */
  readonly pid: number
  /** Puts load on it and reports; rejects with the first call that was not answered as it should be. */
  readonly load: (order: LoadOrder) => Promise<Load>
}

/** (b), (c), (e) and (f): a program that answers POST /call, and the same connections to each. */
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
  const connections = callerConnections(program.url)
  return {
    letter,
    pid: program.pid,
    load: (order) => {
      const calls = endlessCalls(order.work)
      return closedLoop(order, async () => {
        const call = calls.next().value
        const request = order.withIds ? { id: randomUUID(), ...call } : call
        const answer = await connections.post('/call', JSON.stringify(request))
        checkAnswer(call, JSON.parse(answer))
      })
    },
    [Symbol.asyncDispose]: async () => {
      connections.close()
      await program[Symbol.asyncDispose]()
    },
  }
}

/** (c) */
export function wayThroughSimpleSidecar(testbed: Testbed): Promise<Way> {
  const file = join(import.meta.dirname, 'simple-sidecar.ts')
  return wayThroughProgram('c', 'simple-sidecar', [process.execPath, file], testbed)
}

/** (e) */
export function wayThroughBareSidecar(testbed: Testbed): Promise<Way> {
  const file = join(import.meta.dirname, 'bare-sidecar.ts')
  return wayThroughProgram('e', 'bare-sidecar', [process.execPath, file], testbed)
}

/** (f), for one call in flight. */
export function wayThroughBareRelay(testbed: Testbed): Promise<Way> {
  const file = join(import.meta.dirname, 'bare-relay.ts')
  return wayThroughProgram('f', 'bare-relay', [process.execPath, file], testbed)
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
