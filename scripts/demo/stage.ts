import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type RunningProgram, startProgram } from '../child-program.ts'
import { type ProgramCommands, sourcePrograms } from '../programs.ts'
import { sendWebhooksToAgent } from '../webhook-url.ts'

/** An agent that listens, and the game server that it calls for. */
export interface StagedAgent {
  readonly url: string
  readonly gameServerId: number
  /** Ends it as a crash does. Resolves when it is gone. */
  kill(): Promise<void>
  /** Starts it again after `kill`, with the same settings and files. Its ports must be in the settings. */
  startAgain(): Promise<void>
}

/** A game server that the stub knows, with the settings of its agents. */
export interface RegisteredServer {
  readonly id: number
  readonly configFile: string
}

/** An agent that is started once. */
export interface AgentStart {
  /** Of its log and its state, among all agents of the stage. */
  readonly name: string
  readonly configFile: string
  readonly settings: Readonly<Record<string, string>>
  /** It starts when it stands by. It has no address then. */
  readonly isStandby?: boolean
}

/** An agent that has started. */
export interface LaunchedAgent extends RunningProgram {
  readonly logFile: string
}

/** A stub that listens, and the agents of its game servers. Disposing ends them and removes their files. */
export interface Stage extends AsyncDisposable {
  readonly stubUrl: string
  /** For files of the demo. */
  readonly dir: string
  /** Registers a game server, for agents that are launched. */
  register(name: string): Promise<RegisteredServer>
  /** Starts an agent. It ends with the stage. */
  launch(start: AgentStart): Promise<LaunchedAgent>
  /** Registers a game server and starts its agent, which receives its webhooks. */
  startAgent(name: string, settings: Readonly<Record<string, string>>): Promise<StagedAgent>
  /** What staff, players and buyers do at the platform. */
  atPlatform(method: string, path: string, body?: unknown): Promise<unknown>
}

/** Part of the names of logs: two stages of one process may share a folder. */
let stageCount = 0

export async function setStage(programs: ProgramCommands = sourcePrograms): Promise<Stage> {
  const stageName = `${process.pid}-${++stageCount}`
  await using started = new AsyncDisposableStack()
  const dir = mkdtempSync(join(tmpdir(), 'market-agent-demo-'))
  const logDir = process.env['DEMO_LOG_DIR'] ?? dir
  const clear = (): void => rmSync(dir, { recursive: true, force: true, maxRetries: 10 })
  process.once('exit', clear)
  started.defer(() => {
    clear()
    process.off('exit', clear)
  })
  const stub = started.use(
    await startProgram({
      name: 'platform-stub',
      command: [...programs.stub, 'serve', '--port', '0', '--memory'],
      env: {},
      logFile: join(logDir, `platform-stub-${stageName}.log`),
    }),
  )

  async function atPlatform(method: string, path: string, body?: unknown): Promise<unknown> {
    const init = {
      method,
      ...(body !== undefined && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    }
    const response = await fetch(path.startsWith('http') ? path : `${stub.url}${path}`, init)
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${path}: HTTP ${response.status} ${text}`)
    return text.startsWith('{') ? (JSON.parse(text) as { data: unknown }).data : undefined
  }

  async function register(name: string): Promise<RegisteredServer> {
    const [file = '', ...args] = programs.stub
    const out = join(dir, name)
    const provision = ['provision', '--url', stub.url, '--name', name, '--out', out]
    const { stdout } = await promisify(execFile)(file, [...args, ...provision])
    return { id: Number(/game server (\d+)/i.exec(stdout)?.[1]), configFile: join(out, 'agent.env') }
  }

  const lives = new Map<string, number>()
  async function launch({ name, configFile, settings, isStandby = false }: AgentStart): Promise<LaunchedAgent> {
    const life = (lives.get(name) ?? 0) + 1
    lives.set(name, life)
    const logFile = join(logDir, `market-agent-${name}-${stageName}${life === 1 ? '' : `-${life}`}.log`)
    const program = await startProgram({
      name: 'market-agent',
      command: [...programs.agent, 'run', ...(isStandby ? ['--standby'] : []), '--config', configFile],
      env: {
        SERVICE_AGENT_PORT: '0',
        SERVICE_WEBHOOK_PORT: '0',
        SERVICE_STATE_DIR: join(dir, name, 'state'),
        ...settings,
      },
      logFile,
      ...(isStandby && { startedWith: 'standing by' }),
    })
    return { logFile, ...running.use(program) }
  }

  const running = started.move()
  return {
    stubUrl: stub.url,
    dir,
    atPlatform,
    register,
    launch,
    async startAgent(name, settings) {
      const { id: gameServerId, configFile } = await register(name)
      let agent = await launch({ name, configFile, settings })
      await sendWebhooksToAgent(stub.url, gameServerId, agent.logFile)
      return {
        url: agent.url,
        gameServerId,
        kill: () => killProgram(agent),
        async startAgain() {
          agent = await launch({ name, configFile, settings })
        },
      }
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  }
}

/** Ends a program as a crash does. Resolves when it is gone. */
export async function killProgram({ child }: RunningProgram): Promise<void> {
  const ended = once(child, 'exit')
  child.kill('SIGKILL')
  await ended
}
