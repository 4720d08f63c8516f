import { readDaemonAddress } from '../config/config.ts'
import type { Reloading } from '../config/live-config.ts'
import { say } from '../language/say.ts'
import { askDaemon } from './daemon-request.ts'
import { exitCodes } from './exit-codes.ts'
import { readConfig } from './read-config.ts'

/** `market-agent reload`: the running daemon reads keys, token and log level again, or says why it does not. */
export async function reload(options: { config?: string }): Promise<void> {
  const address = readConfig(options.config, readDaemonAddress)
  const answer = address && (await askDaemon(address, 'POST', '/reload'))
  if (!answer) return
  if (answer.status === 200) {
    const { changed } = JSON.parse(answer.text) as Reloading & { ok: true }
    process.stdout.write(`${say`Reloaded. Changed: ${changed.join(', ') || say`nothing`}`}\n`)
    return
  }
  process.exitCode = exitCodes.refused
  const errors =
    answer.status === 422
      ? [say`Nothing is reloaded:`, ...(JSON.parse(answer.text) as Reloading & { ok: false }).errors]
      : [answer.text]
  process.stderr.write(`${errors.join('\n')}\n`)
}
