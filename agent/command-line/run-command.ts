import { availableParallelism } from 'node:os'
import { limits } from '../../contract/limits.ts'
import manifest from '../../package.json' with { type: 'json' }
import { type RunningAgent, startAgent } from '../agent.ts'
import { systemClock } from '../clock/system-clock.ts'
import { type AgentConfig, readAgentConfig } from '../config/config.ts'
import { exampleOf, shownPath } from '../config/settings.ts'
import { cureOf } from '../durable-files/system-errors.ts'
import { sentenceOf } from '../language/problem.ts'
import { type OpenedLog, openLog } from '../log/log.ts'
import { logStart } from '../log/start-line.ts'
import type { LockedError } from '../ownership/ownership.ts'
import { realOutside } from '../real-outside.ts'
import { serviceManager } from '../service/service-manager.ts'
import type { OpenStore } from '../store.ts'
import { exitCodes } from './exit-codes.ts'
import { explainFailedStart } from './failed-start.ts'
import { readConfig } from './read-config.ts'
import { reloadableConfig } from './reloadable-config.ts'
import { startInStandby } from './standby.ts'
import { stopSignal } from './stop-signal.ts'
import { storeOpener } from './store-opener.ts'

export interface RunOptions {
  readonly config?: string
  /** Waits until another agent releases spool and state, instead of ending. */
  readonly standby?: boolean
}

const graceMs = 10_000
/** After the calls have ended or were cut off: for files, sockets and locks. */
const closingMsMax = 1_000

/** `market-agent run`: the daemon, until SIGTERM or SIGINT. SIGHUP reloads. Ends the process with its exit code. */
export async function run(options: RunOptions): Promise<void> {
  const config = readConfig(options.config, readAgentConfig)
  if (!config) return
  process.env['UV_THREADPOOL_SIZE'] ??= String(threadsFor(config))
  const opened = await openLogOrReport(config)
  if (!opened) return
  const { log } = opened
  const live = reloadableConfig(config, options.config, opened)
  /** Timers may still be set. Everything that must survive is on disk. */
  const end = (exitCode: number): never => process.exit(exitCode)
  const onFatal = (error: Error): never => {
    log.fatal(`stopped rather than guess: ${error.message}`)
    return end(exitCodes.refused)
  }
  const onLeaseLost = (error: Error): never => {
    log.fatal(
      { cause: error.message },
      'the lease of this agent is over: another agent took over, or the store was made again',
    )
    return end(exitCodes.locked)
  }
  process.on('uncaughtExceptionMonitor', (error) => log.fatal({ err: error }, 'ended by a bug of the agent'))
  if (process.platform !== 'win32') process.on('SIGHUP', () => void live.reload())
  // Node reads it again for each TLS connection; a warning of the configuration says that it is ignored.
  delete process.env['NODE_TLS_REJECT_UNAUTHORIZED']
  const manager = serviceManager({ env: process.env, clock: systemClock, log })
  let hasStoodBy = false
  const onStandby = ({ path, owner }: LockedError) => {
    hasStoodBy = true
    log.info({ dir: path, owner }, 'standing by')
    manager.reportUp(`standing by: ${owner} has ${path}`, async () => undefined)
  }
  logStart(config, manifest.version, log)
  for (const warning of config.warnings) log.warn(sentenceOf(warning))
  try {
    const openStore = await storeOpener(config, { isStandby: options.standby === true, log, onLeaseLost })
    const openUpToDate: OpenStore = async (storeOptions) => {
      const store = await openStore(storeOptions)
      // The agent before this one may have got new keys meanwhile. Nothing has left yet.
      if (hasStoodBy) live.reload()
      return store
    }
    const startNow = () => startAgent(live, log, onFatal, { ...realOutside, openStore: openUpToDate })
    const started: Promise<RunningAgent | undefined> =
      options.standby === true ? startInStandby(startNow, { clock: systemClock, onStandby, stopSignal }) : startNow()
    const agent = await Promise.race([started, stopSignal.then(() => undefined)])
    if (agent) {
      void agent.learnPlatformClock()
      manager.reportUp(`listening at ${agent.url}`, agent.checkAlive)
    }
    const signal = await stopSignal
    const stopMs = systemClock.monotonicMs() + graceMs
    manager.close()
    log.info({ signal }, 'stopping')
    // A start is brought to its end: calls may have been accepted already.
    const closed = started
      .then((running) => running?.close(Math.max(0, stopMs - systemClock.monotonicMs())))
      .catch((error: Error) => error)
    const late = systemClock.sleep(graceMs + closingMsMax).then(() => new Error(`it took longer than ${graceMs} ms`))
    const problem = await Promise.race([closed, late])
    if (problem) log.error({ cause: problem.message }, 'the stop is not complete')
    log.info('stopped')
    end(exitCodes.ok)
  } catch (error) {
    const { message, exitCode } = explainFailedStart(error, config)
    log.fatal(message)
    end(exitCode)
  }
}

async function openLogOrReport({ logLevel, logFile }: AgentConfig): Promise<OpenedLog | undefined> {
  try {
    return await openLog({ level: logLevel, file: logFile, monotonicMs: () => systemClock.monotonicMs() })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const name = 'SERVICE_LOG_FILE'
    const problem = `cannot write ${shownPath(logFile ?? '')} (${code})`
    process.stderr.write(
      `${sentenceOf({ name, problem, cure: cureOf(error as Error) })}. Example: ${exampleOf(name)}\n`,
    )
    process.exitCode = exitCodes.usage
    return undefined
  }
}

/**
 * The number of threads besides the event loop; Node reads it before it starts the first one. They sign, so more
 * threads than cores bring nothing. The answers of a spool wait for the disk and get threads of their own.
 */
function threadsFor({ spoolDir }: AgentConfig): number {
  return Math.max(2, availableParallelism()) + (spoolDir === undefined ? 0 : limits.spoolInFlightMax)
}
