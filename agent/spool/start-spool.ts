import { repeat } from '../clock/repeat.ts'
import { DirUnusableError } from '../durable-files/dir-unusable.ts'
import { codeOf, mayPass } from '../durable-files/system-errors.ts'
import { countFiles } from './own-files.ts'
import { openSpool, type Spool, type SpoolOptions } from './spool.ts'
import { SpoolUnusableError, spoolUnusable } from './spool-dirs.ts'

const retryMs = 1_000

/**
 * Starts interface C. If its disk is full, or has another problem that may pass, the spool starts as soon as it can: calls
 * over HTTP and orders do not need that disk. Until then the reasons say why.
 *
 * @throws {SpoolUnusableError} The directories cannot be worked with, and waiting does not help.
 */
export async function startSpool(options: SpoolOptions): Promise<Spool> {
  try {
    return await tryToStart(options)
  } catch (error) {
    if (isUnusable(error) && mayPassBy(error)) return startLater(options, error)
    throw error
  }
}

function startLater(options: SpoolOptions, firstError: Unusable): Spool {
  const { dirs, files, clock, log, onFatal } = options
  let state: { readonly at: 'waiting'; readonly reason: string } | { readonly at: 'working'; readonly spool: Spool } = {
    at: 'waiting',
    reason: firstError.message,
  }
  let trying: Promise<void> = Promise.resolve()
  log.warn({ reason: firstError.message }, 'the spool cannot be started; tried again')
  const start = async (): Promise<void> => {
    try {
      state = { at: 'working', spool: await tryToStart(options) }
      stopTrying()
      log.info({ dir: dirs.root }, 'the spool is started')
    } catch (error) {
      if (isUnusable(error)) state = { at: 'waiting', reason: error.message }
      else onFatal(error as Error)
    }
  }
  const stopTrying = repeat(clock, retryMs, () => {
    trying = start()
    return trying
  })
  return {
    reasons: () => (state.at === 'working' ? state.spool.reasons() : [state.reason]),
    async status() {
      if (state.at === 'working') return state.spool.status()
      return { dir: dirs.root, ...(await countFiles(files, dirs, clock)), oldestAgeS: null, inFlight: 0 }
    },
    async stop() {
      stopTrying()
      await trying
      if (state.at === 'working') await state.spool.stop()
    },
  }
}

type Unusable = DirUnusableError | SpoolUnusableError

/** Another owner, a removed spool, a sync that failed and a bug are not like this. */
function isUnusable(error: unknown): error is Unusable {
  return error instanceof DirUnusableError || error instanceof SpoolUnusableError
}

function mayPassBy(error: Unusable): boolean {
  return error instanceof DirUnusableError ? error.mayPass : mayPass(error.cause ?? error)
}

async function tryToStart(options: SpoolOptions): Promise<Spool> {
  try {
    return await openSpool(options)
  } catch (error) {
    throw isUnusable(error) || codeOf(error) === undefined ? error : spoolUnusable(options.dirs, error)
  }
}
