import { startAgent } from '../agent.ts'
import { readAgentConfig } from '../config/config.ts'
import { openLog } from '../log.ts'
import { exitCodes } from './exit-codes.ts'
import { readConfig } from './read-config.ts'

const graceMs = 10_000

/** `market-agent run`: the daemon, until SIGTERM or SIGINT. Sets the exit code. */
export async function run(options: { config?: string }): Promise<void> {
  const config = readConfig(options.config, readAgentConfig)
  if (!config) return
  const log = await openLog({ level: config.logLevel, file: config.logFile })
  process.on('exit', () => log.flushNow())
  try {
    const agent = await startAgent(config, log)
    const signal = await firstOf('SIGTERM', 'SIGINT')
    log.info({ signal }, 'stopping')
    await agent.close(graceMs)
    log.info('stopped')
    log.flushNow()
    // What has not ended in time may still hold timers; everything that must survive is on disk.
    process.exit(exitCodes.ok)
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    if (code !== 'EADDRINUSE' && code !== 'EACCES' && code !== 'EADDRNOTAVAIL') throw error
    log.fatal(
      { code },
      `SERVICE_AGENT_PORT: port ${config.port} on ${config.host} cannot be taken. Is another agent running?`,
    )
    process.exitCode = exitCodes.usage
  }
}

function firstOf(...signals: NodeJS.Signals[]): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    for (const signal of signals) process.once(signal, () => resolve(signal))
  })
}
