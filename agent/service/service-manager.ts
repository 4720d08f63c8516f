import { execFile } from 'node:child_process'
import type { Clock } from '../clock/clock.ts'
import type { Log } from '../log/log.ts'

/** What started the daemon and wants to know how it is. */
export interface ServiceManagerOptions {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly clock: Clock
  readonly log: Log
  /** Resolves when the journal answers. While it does not, the service manager is not told that all is well. */
  readonly checkAlive: () => Promise<unknown>
  /** Runs a program of the host. Only tests pass another one. */
  readonly execute?: Execute
}

/** @returns the error of a program that could not be run to its end. */
export type Execute = (file: string, args: readonly string[], env: Record<string, string>) => Promise<Error | undefined>

const cure = 'systemd-notify comes with systemd; without it use Type=exec and no WatchdogSec in the unit'

/**
 * Reports to systemd that the daemon is ready, and from then on that it is alive, as long as the unit wants it. The
 * report goes through `systemd-notify`, because Node cannot write to a Unix datagram socket. Does nothing where systemd
 * did not start the daemon.
 *
 * @returns a function that ends the reports.
 */
export function reportToServiceManager(options: ServiceManagerOptions): () => void {
  const { env, clock, log, checkAlive, execute = executeOnHost } = options
  const socket = env['NOTIFY_SOCKET']
  if (!socket) return () => undefined
  const intervalMs = watchdogIntervalMs(env)
  let isEnded = false
  let cancel: (() => void) | undefined
  let isWarned = false

  const notify = async (...states: string[]): Promise<void> => {
    // The secrets of this process's environment stay here.
    const error = await execute('systemd-notify', states, { NOTIFY_SOCKET: socket, PATH: env['PATH'] ?? usualPath })
    if (error && !isWarned) log.warn({ cause: error.message, cure }, 'systemd cannot be notified')
    isWarned = error !== undefined
  }
  const reportAlive = async (): Promise<void> => {
    try {
      await checkAlive()
      if (!isEnded) await notify('WATCHDOG=1')
    } catch (error) {
      log.error(
        { cause: (error as Error).message },
        'the journal does not answer, so systemd is not told that all is well',
      )
    }
    if (!isEnded && intervalMs !== undefined) cancel = clock.after(intervalMs, () => void reportAlive())
  }

  void notify('--ready')
  if (intervalMs !== undefined) cancel = clock.after(intervalMs, () => void reportAlive())
  return () => {
    isEnded = true
    cancel?.()
  }
}

const usualPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'

/** A third of the time after which systemd kills the daemon; undefined where the unit has no watchdog. */
function watchdogIntervalMs(env: ServiceManagerOptions['env']): number | undefined {
  const { WATCHDOG_USEC: timeoutUs, WATCHDOG_PID: pid } = env
  const isForUs = pid === undefined || pid === String(process.pid)
  return isForUs && Number(timeoutUs) > 0 ? Number(timeoutUs) / 3_000 : undefined
}

const executeTimeoutMs = 10_000

const executeOnHost: Execute = (file, args, env) =>
  new Promise((resolve) => {
    execFile(file, args, { env, timeout: executeTimeoutMs }, (error) => resolve(error ?? undefined))
  })
