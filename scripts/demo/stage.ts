import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { startProgram } from '../child-program.ts'
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

/** A stub that listens, and the agents of its game servers. Disposing ends them and removes their files. */
export interface Stage extends AsyncDisposable {
  readonly stubUrl: string
  /** For files of the demo. */
  readonly dir: string
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

  const running = started.move()
  return {
    stubUrl: stub.url,
    dir,
    atPlatform,
    async startAgent(name, settings) {
      const [file = '', ...args] = programs.stub
      const out = join(dir, name)
      const provision = ['provision', '--url', stub.url, '--name', name, '--out', out]
      const { stdout } = await promisify(execFile)(file, [...args, ...provision])
      let lives = 0
      const launch = async () => {
        const life = ++lives === 1 ? '' : `-${lives}`
        const logFile = join(logDir, `market-agent-${name}-${stageName}${life}.log`)
        const program = await startProgram({
          name: 'market-agent',
          command: [...programs.agent, 'run', '--config', join(out, 'agent.env')],
          env: {
            SERVICE_AGENT_PORT: '0',
            SERVICE_WEBHOOK_PORT: '0',
            SERVICE_STATE_DIR: join(out, 'state'),
            ...settings,
          },
          logFile,
        })
        return { logFile, ...running.use(program) }
      }
      let agent = await launch()
      const gameServerId = Number(/game server (\d+)/i.exec(stdout)?.[1])
      await sendWebhooksToAgent(stub.url, gameServerId, agent.logFile)
      return {
        url: agent.url,
        gameServerId,
        async kill() {
          const ended = once(agent.child, 'exit')
          agent.child.kill('SIGKILL')
          await ended
        },
        async startAgain() {
          agent = await launch()
        },
      }
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  }
}
