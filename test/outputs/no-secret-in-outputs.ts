import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { outputsDir, secretsIn } from './outputs.ts'

/** Runs around all tests: no key, token or signature may stand in anything that the programs printed in them. */
export function setup(): () => void {
  rmSync(outputsDir, { recursive: true, force: true })
  mkdirSync(outputsDir, { recursive: true })
  return () => {
    const listed = join(outputsDir, 'secrets.list')
    const named = existsSync(listed) ? [...new Set(readFileSync(listed, 'utf8').split('\n').filter(Boolean))] : []
    const logs = readdirSync(outputsDir).filter((file) => file.endsWith('.log'))
    const leaks = logs.flatMap((file) =>
      secretsIn(readFileSync(join(outputsDir, file), 'utf8'), named).map(
        (secret) => `${file}: ${secret.slice(0, 12)}…`,
      ),
    )
    if (leaks.length === 0)
      return console.log(`No secret in the output of ${logs.length} programs (${named.length} secrets named).`)
    console.error(`Secrets in outputs:\n${leaks.join('\n')}`)
    process.exitCode = 1
  }
}
