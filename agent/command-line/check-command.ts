import manifest from '../../package.json' with { type: 'json' }
import type { Check } from '../check/check.ts'
import { runChecks } from '../check/run-checks.ts'
import { readAgentConfig } from '../config/config.ts'
import { asSentence } from '../language/problem.ts'
import { say } from '../language/say.ts'
import { exitCodes } from './exit-codes.ts'
import { readSettings } from './read-config.ts'

export interface CheckFlags {
  readonly config?: string
  readonly json?: boolean
  readonly offline?: boolean
}

/** `market-agent check`: one line for each stage, what is wrong and how to mend it. */
export async function check({ config, json = false, offline = false }: CheckFlags): Promise<void> {
  const reading = readSettings(config, readAgentConfig)
  // As in the daemon: Node reads it again for each TLS connection.
  delete process.env['NODE_TLS_REJECT_UNAUTHORIZED']
  const checks: Check[] = []
  for await (const found of runChecks({ reading, offline, userAgent: `market-agent/${manifest.version}` })) {
    checks.push(found)
    if (!json) process.stdout.write(`${lineOf(found)}\n`)
  }
  const ok = checks.every((found) => found.ok !== false)
  if (json) process.stdout.write(`${JSON.stringify({ ok, checks })}\n`)
  process.exitCode = ok ? exitCodes.ok : exitCodes.refused
}

/** A text for people: one line, whatever a file name or the platform's words hold. */
function lineOf({ name, ok, message, cure }: Check): string {
  const mark = ok === null ? '?' : !ok ? say`wrong` : cure === null ? 'ok' : say`ok, but`
  const text = cure === null ? message : `${message}. ${asSentence(cure)}`
  return `${mark.padEnd(7)} ${name}: ${text.replace(/\p{Cc}+/gu, ' ')}`
}
