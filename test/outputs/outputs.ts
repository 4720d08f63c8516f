import { randomUUID } from 'node:crypto'
import { appendFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Everything that a program printed or logged in a test ends here and is searched for secrets at the end of the run.
 */
export const outputsDir = process.env['TEST_OUTPUTS_DIR'] ?? join(import.meta.dirname, '..', '.output')
const secretsFile = join(outputsDir, 'secrets.list')

/** A new file for the output of one program. */
export function outputFile(program: string): string {
  mkdirSync(outputsDir, { recursive: true })
  return join(outputsDir, `${program}-${randomUUID()}.log`)
}

/** Names a value that no output may hold. */
export function keepSecret(value: string): string {
  mkdirSync(outputsDir, { recursive: true })
  appendFileSync(secretsFile, `${value}\n`)
  return value
}

/** What of an output is a secret: a named value, a key in PEM, a detached or compact JWS. */
export function secretsIn(output: string, named: readonly string[]): string[] {
  const patterns = [/-----BEGIN [A-Z ]*KEY-----/, /eyJ[\w-]{8,}\.[\w-]*\.[\w-]{40,}/]
  return [
    ...named.filter((secret) => output.includes(secret)),
    ...patterns.flatMap((pattern) => pattern.exec(output)?.[0] ?? []),
  ]
}
