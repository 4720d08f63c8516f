import type { AgentConfig } from '../config/config.ts'
import { cureOfStore, isOfSharedStore } from '../database/cure-of-store.ts'
import { StoreUnusableError } from '../database/store-errors.ts'
import { DirUnusableError } from '../durable-files/dir-unusable.ts'
import { SyncFailedError } from '../durable-files/disk-errors.ts'
import { cureOf, mayPass } from '../durable-files/system-errors.ts'
import { cures } from '../language/cures.ts'
import { sentenceOf } from '../language/problem.ts'
import { LockedError } from '../ownership/ownership.ts'
import { SpoolUnusableError } from '../spool/spool-dirs.ts'
import { exitCodes } from './exit-codes.ts'

const portCures: Readonly<Record<string, (setting: string) => string>> = {
  EADDRINUSE: cures.freePort,
  // Ports below need a right that the agent does not want.
  EACCES: (setting) => cures.higherPort(setting, 1024),
  EADDRNOTAVAIL: (setting) => cures.addressOfHost(setting.replace('PORT', 'HOST')),
}

/**
 * One line for the operator, and the exit code for the service manager.
 *
 * @throws The error itself, if it is not one that a start can have.
 */
export function explainFailedStart(
  error: unknown,
  config: Pick<AgentConfig, 'host' | 'port' | 'webhook'>,
): { readonly message: string; readonly exitCode: number } {
  // The error that ended the start, and not one of the clean-up after it.
  if (error instanceof SuppressedError) return explainFailedStart(error.suppressed, config)
  if (error instanceof LockedError) return { message: error.message, exitCode: exitCodes.locked }
  if (error instanceof DirUnusableError) {
    return { message: error.message, exitCode: error.mayPass ? exitCodes.refused : exitCodes.usage }
  }
  if (error instanceof SpoolUnusableError || error instanceof StoreUnusableError)
    return { message: error.message, exitCode: exitCodes.usage }
  if (isOfSharedStore(error))
    return { message: `cannot start: ${error.message}: ${cureOfStore(error)}`, exitCode: exitCodes.refused }
  if (error instanceof SyncFailedError)
    return { message: `cannot start: ${error.message}`, exitCode: exitCodes.refused }
  const { code, syscall, port } = error as NodeJS.ErrnoException & { port?: number }
  if (syscall === 'listen') {
    const { webhook } = config
    const isWebhookPort = port !== config.port && port === webhook?.port
    const name = isWebhookPort ? 'SERVICE_WEBHOOK_PORT' : 'SERVICE_AGENT_PORT'
    const host = isWebhookPort ? webhook?.host : config.host
    const cure = (portCures[code ?? ''] ?? cures.otherPort)(name)
    const problem = `port ${port} on ${host} cannot be opened (${code})`
    return { message: sentenceOf({ name, problem, cure }), exitCode: exitCodes.usage }
  }
  if (code === undefined) throw error
  const exitCode = mayPass(error) ? exitCodes.refused : exitCodes.usage
  return { message: `cannot start: ${(error as Error).message}: ${cureOf(error as Error)}`, exitCode }
}
