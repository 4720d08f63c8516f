const isWindows = process.platform === 'win32'
/**
 * Windows has no SIGTERM. There a service wrapper presses Ctrl+C (SIGINT) or Ctrl+Break (SIGBREAK) in the console. A
 * console that was closed is SIGHUP: Windows ends the process soon after that.
 */
const stopSignals: readonly NodeJS.Signals[] = isWindows ? ['SIGINT', 'SIGBREAK', 'SIGHUP'] : ['SIGTERM', 'SIGINT']

/**
 * The first signal that asks the daemon to stop. It is listened for as soon as this file is imported, because a signal
 * without a listener kills the process in the middle of its start. Other commands are ended by a signal as usual.
 */
export const stopSignal: Promise<NodeJS.Signals> = new Promise((resolve) => {
  if (process.argv[2] !== 'run') return
  // Not `once`: a second signal must not cut off the calls that the first one waits for.
  for (const signal of stopSignals) process.on(signal, () => resolve(signal))
  // Before the settings are read there is nothing to reload.
  if (!isWindows) process.on('SIGHUP', () => undefined)
})
