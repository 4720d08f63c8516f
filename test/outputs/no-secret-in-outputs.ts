import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { secretsIn } from './outputs.ts'

/** Runs around all tests: no key, token or signature may be in anything that the programs printed in them. */
export function setup(): () => void {
  // A directory for each run, so that two at a time do not search each other's.
  const outputsDir = mkdtempSync(join(tmpdir(), 'market-agent-outputs-'))
  process.env['TEST_OUTPUTS_DIR'] = outputsDir
  return () => {
    const listed = join(outputsDir, 'secrets.list')
    const named = existsSync(listed) ? [...new Set(readFileSync(listed, 'utf8').split('\n').filter(Boolean))] : []
    const logs = readdirSync(outputsDir).filter((file) => file.endsWith('.log'))
    const leaks = logs.flatMap((file) =>
      secretsIn(readFileSync(join(outputsDir, file), 'utf8'), named).map(
        (secret) => `${file}: ${secret.slice(0, 12)}…`,
      ),
    )
    if (leaks.length === 0) {
      console.log(`No secret in the output of ${logs.length} programs (${named.length} secrets named).`)
      rmSync(outputsDir, { recursive: true, force: true })
    } else {
      console.error(`Secrets in outputs, kept in ${outputsDir}:\n${leaks.join('\n')}`)
      process.exitCode = 1
    }
  }
}
