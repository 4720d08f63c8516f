import { realpathSync } from 'node:fs'
import { homedir } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'

/** The path with its links followed. A part at its end that does not exist yet is kept as it is written. */
export function realPathOf(path: string): string {
  const whole = resolve(path)
  try {
    return realpathSync(whole)
  } catch {
    const parent = dirname(whole)
    return parent === whole ? whole : join(realPathOf(parent), basename(whole))
  }
}

/** The state directory of an agent that is not told another one. */
export function usualStateDir(env: Readonly<Record<string, string | undefined>>): string {
  if (process.platform === 'win32') return join(env['ProgramData'] ?? 'C:\\ProgramData', 'market-agent')
  if (process.getuid?.() === 0) return '/var/lib/market-agent'
  return join(env['XDG_STATE_HOME'] ?? join(homedir(), '.local', 'state'), 'market-agent')
}
