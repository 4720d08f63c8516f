import { type ChildProcess, spawn } from 'node:child_process'
import { generateKeyPairSync, type KeyObject, randomUUID } from 'node:crypto'
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { keepSecret, outputFile } from '../outputs/outputs.ts'
import type { Answer } from './test-agent.ts'

const main = join(import.meta.dirname, '..', '..', 'agent', 'main.ts')

/** How a process ended. */
export interface ProcessEnd {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

/** `market-agent run`, as a process of its own. */
export interface AgentProcess extends AsyncDisposable {
  readonly pid: number
  /** Everything printed so far. */
  output(): string
  /** Resolves with the url when it listens; rejects when it ends before. */
  readonly listening: Promise<string>
  /** Resolves when its output holds a text. */
  printed(text: string): Promise<void>
  readonly ended: Promise<ProcessEnd>
  /** SIGKILL, and its end. */
  kill(): Promise<ProcessEnd>
  /** SIGTERM, and its end. */
  stop(): Promise<ProcessEnd>
  /** The answer's text; rejects when the process dies before it is whole. */
  callText(operation: string, input: unknown, id?: string): Promise<string>
  call(operation: string, input: unknown, id?: string): Promise<Answer>
}

/** The directories, the key and the environment of agents that follow one another. */
export interface AgentHome extends Disposable {
  readonly dir: string
  readonly stateDir: string
  readonly spoolDir: string
  readonly publicKey: KeyObject
  readonly env: Readonly<Record<string, string>>
}

const keys = generateKeyPairSync('rsa', { modulusLength: 2048 })

export function agentHome(platformUrl: string): AgentHome {
  const dir = mkdtempSync(join(tmpdir(), 'market-agent-process-'))
  const keyFile = join(dir, 'signing-key.pem')
  writeFileSync(keyFile, keys.privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 })
  const stateDir = join(dir, 'state')
  return {
    dir,
    stateDir,
    spoolDir: join(dir, 'spool'),
    publicKey: keys.publicKey,
    env: {
      PATH: process.env['PATH'] ?? '',
      // Halves the time of a start, and tests start agents by the hundred.
      NODE_COMPILE_CACHE: join(tmpdir(), 'market-agent-compile-cache'),
      SERVICE_BASE_URL: platformUrl,
      SERVICE_API_KEY: keepSecret(`api-key-${randomUUID()}`),
      SERVICE_SIGNING_KEY_FILE: keyFile,
      SERVICE_SIGNING_KID: 'game-server-1',
      SERVICE_AGENT_PORT: '0',
      SERVICE_STATE_DIR: stateDir,
    },
    [Symbol.dispose]: () => rmSync(dir, { recursive: true, force: true }),
  }
}

/** The key that verifies what these processes sign. */
export const processPublicKey = keys.publicKey

export interface SpawnOptions {
  readonly env?: Readonly<Record<string, string>>
  /** Arguments after `run`. */
  readonly args?: readonly string[]
  /** Arguments of Node, before the program. */
  readonly nodeArgs?: readonly string[]
  /** A program and its arguments that start Node in their turn. */
  readonly wrapper?: readonly string[]
}

export function spawnAgent(home: AgentHome, options: SpawnOptions = {}): AgentProcess {
  const node = [process.execPath, ...(options.nodeArgs ?? []), main, 'run', ...(options.args ?? [])]
  const [program = '', ...args] = [...(options.wrapper ?? []), ...node]
  const child = spawn(program, args, { env: { ...home.env, ...options.env }, stdio: ['ignore', 'pipe', 'pipe'] })
  const file = outputFile('agent-process')
  let text = ''
  let waiting: (() => void)[] = []
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      appendFileSync(file, chunk)
      text += chunk
      for (const look of waiting) look()
    })
  }
  const ended = endOf(child)
  const matching = (pattern: RegExp): Promise<RegExpExecArray> =>
    new Promise((resolve, reject) => {
      const look = () => {
        const match = pattern.exec(text)
        if (!match) return
        waiting = waiting.filter((other) => other !== look)
        resolve(match)
      }
      waiting.push(look)
      void ended.then(() => reject(new Error(`the agent ended before it printed ${pattern}:\n${text}`)))
      look()
    })
  const listening = matching(/"url":"(http:[^"]+)","msg":"listening"/).then((match) => match[1] ?? '')
  listening.catch(() => undefined)

  const agent: AgentProcess = {
    pid: child.pid ?? 0,
    output: () => text,
    listening,
    printed: async (wanted) => void (await matching(new RegExp(RegExp.escape(wanted)))),
    ended,
    kill() {
      child.kill('SIGKILL')
      return ended
    },
    stop() {
      child.kill('SIGTERM')
      return ended
    },
    async callText(operation, input, id) {
      const body = JSON.stringify({ operation, input, id })
      const headers = { 'content-type': 'application/json', connection: 'close' }
      const response = await fetch(`${await listening}/call`, { method: 'POST', body, headers })
      return response.text()
    },
    async call(operation, input, id) {
      return JSON.parse(await agent.callText(operation, input, id)) as Answer
    },
    async [Symbol.asyncDispose]() {
      await agent.kill()
    },
  }
  return agent
}

function endOf(child: ChildProcess): Promise<ProcessEnd> {
  return new Promise((resolve) => {
    child.once('close', (code, signal) => resolve({ code, signal }))
    child.once('error', () => resolve({ code: null, signal: null }))
  })
}
