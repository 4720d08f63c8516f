import { availableParallelism } from 'node:os'
import { limits } from '../../contract/limits.ts'
import manifest from '../../package.json' with { type: 'json' }
import { type OpenJournal, type RunningAgent, startAgent } from '../agent.ts'
import { systemClock } from '../clock/clock.ts'
import { type AgentConfig, readAgentConfig } from '../config/config.ts'
import { exampleOf, shownPath } from '../config/settings.ts'
import { DirUnusableError, mayPass } from '../durable-files/dir-unusable.ts'
import { SyncFailedError } from '../durable-files/disk-errors.ts'
import { JournalUnusableError } from '../journal/idempotency-journal.ts'
import { type Log, openLog } from '../log/log.ts'
import { logStart } from '../log/start-line.ts'
import { HeldError } from '../ownership/owner-lock.ts'
import { reportToServiceManager } from '../service/service-manager.ts'
import { SpoolUnusableError } from '../spool/spool-dirs.ts'
import { exitCodes } from './exit-codes.ts'
import { readConfig } from './read-config.ts'

export interface RunOptions {
  readonly config?: string
  /** Waits for the spool and the state of another agent instead of ending. */
  readonly standby?: boolean
}

const graceMs = 10_000
/** After the calls have ended or were cut off: for files, sockets and locks. */
const closingMsMax = 1_000
const standbyIntervalMs = 200

/**
 * `market-agent run`: the daemon, until SIGTERM, SIGINT or SIGHUP. Ends the process with its exit code.
 *
 * @param openJournal As for `startAgent`.
 */
export async function run(options: RunOptions, openJournal?: OpenJournal): Promise<void> {
  const config = readConfig(options.config, readAgentConfig)
  if (!config) return
  process.env['UV_THREADPOOL_SIZE'] ??= String(threadsFor(config))
  const log = await openLogOrTell(config)
  if (!log) return
  const end = (exitCode: number): never => {
    // What has not ended in time may still hold timers; everything that must survive is on disk.
    process.exit(exitCode)
  }
  const broke = (error: Error): never => {
    log.fatal(`stopped rather than guess: ${error.message}`)
    return end(exitCodes.refused)
  }
  const signalled = firstOf('SIGTERM', 'SIGINT', 'SIGHUP')
  // Node reads it anew for each TLS connection; a warning of the configuration says that it is ignored.
  delete process.env['NODE_TLS_REJECT_UNAUTHORIZED']
  logStart(config, manifest.version, log)
  for (const warning of config.warnings) log.warn(warning)
  try {
    const agent = await Promise.race([start(config, log, broke, options.standby === true, openJournal), signalled])
    if (typeof agent === 'string') return end(exitCodes.ok)
    void agent.learnPlatformClock()
    const { checkAlive } = agent
    const endReports = reportToServiceManager({ env: process.env, clock: systemClock, log, checkAlive })
    const signal = await signalled
    endReports()
    log.info({ signal }, 'stopping')
    const closed = agent
      .close(graceMs)
      .catch((error: Error) => log.error({ cause: error.message }, 'not all was closed'))
    await Promise.race([closed, systemClock.sleep(graceMs + closingMsMax)])
    log.info('stopped')
    end(exitCodes.ok)
  } catch (error) {
    const { message, exitCode } = whyNotStarted(whatCameFirst(error), config)
    log.fatal(message)
    end(exitCode)
  }
}

async function openLogOrTell({ logLevel, logFile }: AgentConfig): Promise<Log | undefined> {
  try {
    return await openLog({ level: logLevel, file: logFile, monotonicMs: () => systemClock.monotonicMs() })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const cure = "the agent's user must be able to write the file, and to make others in its directory"
    process.stderr.write(
      `SERVICE_LOG_FILE: cannot write ${shownPath(logFile ?? '')} (${code}): ${cure}. Example: ${exampleOf('SERVICE_LOG_FILE')}\n`,
    )
    process.exitCode = exitCodes.usage
    return undefined
  }
}

/**
 * Threads beside the event loop, read before the first is started. They sign: more than there are cores only take turns.
 * A spool's answers wait for the disk, and nobody should wait behind them.
 */
function threadsFor({ spoolDir }: AgentConfig): number {
  return Math.max(2, availableParallelism()) + (spoolDir === undefined ? 0 : limits.spoolInFlightMax)
}

async function start(
  config: AgentConfig,
  log: Log,
  broke: (error: Error) => void,
  isStandby: boolean,
  openJournal: OpenJournal | undefined,
): Promise<RunningAgent> {
  for (let isTold = false; ; isTold = true) {
    try {
      return await startAgent(config, log, broke, undefined, openJournal)
    } catch (error) {
      if (!isStandby || !(error instanceof HeldError)) throw error
      if (!isTold) log.info({ dir: error.path, holder: error.holder }, 'standing by')
      await systemClock.sleep(standbyIntervalMs)
    }
  }
}

/** What ended the start, and not what failed while the rest of it was let go. */
function whatCameFirst(error: unknown): unknown {
  return error instanceof SuppressedError ? whatCameFirst(error.suppressed) : error
}

/** One line for whoever started the agent, and what its end tells a service manager. */
function whyNotStarted(error: unknown, config: AgentConfig): { message: string; exitCode: number } {
  if (error instanceof HeldError) return { message: error.message, exitCode: exitCodes.held }
  if (error instanceof DirUnusableError) {
    return { message: error.message, exitCode: error.mayPass ? exitCodes.refused : exitCodes.usage }
  }
  if (error instanceof SpoolUnusableError) {
    return { message: error.message, exitCode: mayPass(error.cause) ? exitCodes.refused : exitCodes.usage }
  }
  if (error instanceof JournalUnusableError) return { message: error.message, exitCode: exitCodes.usage }
  if (error instanceof SyncFailedError)
    return { message: `cannot start: ${error.message}`, exitCode: exitCodes.refused }
  const { code, syscall } = error as NodeJS.ErrnoException
  if (syscall === 'listen') {
    const address = `port ${config.port} on ${config.host}`
    return {
      message: `SERVICE_AGENT_PORT: ${address} cannot be taken (${code}). Is another agent running?`,
      exitCode: exitCodes.usage,
    }
  }
  if (code === undefined) throw error
  return { message: `cannot start: ${(error as Error).message}`, exitCode: exitCodes.usage }
}

function firstOf(...signals: NodeJS.Signals[]): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    // Not `once`: a second signal must not cut off what the first one lets end.
    for (const signal of signals) process.on(signal, () => resolve(signal))
  })
}
