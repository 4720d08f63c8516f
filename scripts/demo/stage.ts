import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startProgram } from '../child-program.ts'
import { type ProgramCommands, sourcePrograms } from '../programs.ts'
import { startWebhookReceiver, type WebhookReceiver } from './game-server.ts'

/** Stub, agent and a game server's webhook receiver, each listening. Disposing ends them and removes their files. */
export interface Stage extends AsyncDisposable {
  readonly stubUrl: string
  readonly agentUrl: string
  readonly spoolDir: string
  readonly receiver: WebhookReceiver
  /** The receiver's side: who verifies for it, and the stock that it reports. */
  readonly game: Parameters<typeof startWebhookReceiver>[0]
  /** What staff, players and buyers do at the platform. */
  atPlatform(method: string, path: string, body?: unknown): Promise<unknown>
  readonly gameServerId: number
}

export async function setStage(programs: ProgramCommands = sourcePrograms): Promise<Stage> {
  const dir = mkdtempSync(join(tmpdir(), 'market-agent-demo-'))
  const spoolDir = join(dir, 'spool')
  const logDir = process.env['DEMO_LOG_DIR'] ?? dir
  const clear = (): void => rmSync(dir, { recursive: true, force: true, maxRetries: 10 })
  process.once('exit', clear)

  const stub = await startProgram({
    name: 'platform-stub',
    command: [...programs.stub, 'serve', '--port', '0', '--memory'],
    env: {},
    logFile: join(logDir, `platform-stub-${process.pid}.log`),
  })
  const game: Stage['game'] = { stock: 0 }
  const receiver = await startWebhookReceiver(game)
  const [file = '', ...args] = programs.stub
  const provision = ['provision', '--url', stub.url, '--name', 'demo', '--webhook-url', receiver.url, '--out', dir]
  const provisioned = execFileSync(file, [...args, ...provision], { encoding: 'utf8' })
  const agent = await startProgram({
    name: 'market-agent',
    command: [...programs.agent, 'run', '--config', join(dir, 'agent.env')],
    env: { SERVICE_AGENT_PORT: '0', SERVICE_STATE_DIR: join(dir, 'state'), SERVICE_SPOOL_DIR: spoolDir },
    logFile: join(logDir, `market-agent-${process.pid}.log`),
  })

  return {
    stubUrl: stub.url,
    agentUrl: agent.url,
    spoolDir,
    receiver,
    game,
    gameServerId: Number(/game server (\d+)/i.exec(provisioned)?.[1]),
    async atPlatform(method, path, body) {
      const init = {
        method,
        ...(body !== undefined && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
      }
      const response = await fetch(path.startsWith('http') ? path : `${stub.url}${path}`, init)
      const text = await response.text()
      if (!response.ok) throw new Error(`${method} ${path}: HTTP ${response.status} ${text}`)
      return text.startsWith('{') ? (JSON.parse(text) as { data: unknown }).data : undefined
    },
    async [Symbol.asyncDispose]() {
      receiver[Symbol.dispose]()
      await agent[Symbol.asyncDispose]()
      await stub[Symbol.asyncDispose]()
      clear()
      process.off('exit', clear)
    },
  }
}
