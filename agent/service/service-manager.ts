import { execFile } from 'node:child_process'
import type { Clock } from '../clock/clock.ts'
import { cures } from '../language/cures.ts'
import type { Log } from '../log/log.ts'

/** The outside of the reports. */
export interface ServiceManagerOptions {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly clock: Clock
  readonly log: Log
  /** Runs a program of the host. Only tests pass another one. */
  readonly execute?: Execute
}

/** The program that started the daemon and wants to know its state. */
export interface ServiceManager {
  /**
   * Reports that the daemon is up, and from then on that it is alive. A second report replaces the first one.
   *
   * @param status One line for `systemctl status`.
   * @param checkAlive While this does not resolve, the daemon does not report to the service manager that it is alive.
   */
  reportUp(status: string, checkAlive: () => Promise<unknown>): void
  /** Ends the reports. */
  close(): void
}

/** @returns the error of a program that could not be run to its end. */
export type Execute = (file: string, args: readonly string[], env: Record<string, string>) => Promise<Error | undefined>

/**
 * Reports to systemd, as its unit wants it. The reports go through `systemd-notify`, because Node cannot write to a Unix
 * datagram socket. Where systemd did not start the daemon, nothing is reported.
 */
export function serviceManager({ env, clock, log, execute = executeOnHost }: ServiceManagerOptions): ServiceManager {
  const socket = env['NOTIFY_SOCKET']
  if (!socket) return { reportUp: () => undefined, close: () => undefined }
  const intervalMs = watchdogIntervalMs(env)
  let checkAlive: (() => Promise<unknown>) | undefined
  let cancel: (() => void) | undefined
  let isWarned = false

  const notify = async (...states: string[]): Promise<void> => {
    // The secrets of this process's environment stay here.
    const error = await execute('systemd-notify', states, { NOTIFY_SOCKET: socket, PATH: env['PATH'] ?? usualPath })
    if (error && !isWarned)
      log.warn({ cause: error.message, cure: cures.runSystemdNotify() }, 'systemd cannot be notified')
    isWarned = error !== undefined
  }
  const reportAlive = async (): Promise<void> => {
    try {
      await checkAlive?.()
      if (checkAlive) await notify('WATCHDOG=1')
    } catch (error) {
      log.error({ cause: (error as Error).message }, 'the journal does not answer, so systemd gets no sign of life')
    }
    if (checkAlive) scheduleReport()
  }
  const scheduleReport = () => {
    if (intervalMs !== undefined) cancel = clock.after(intervalMs, () => void reportAlive())
  }
  return {
    reportUp(status, check) {
      const isFirst = checkAlive === undefined
      checkAlive = check
      void notify('--ready', `--status=${status}`)
      if (isFirst) scheduleReport()
    },
    close() {
      checkAlive = undefined
      cancel?.()
    },
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
