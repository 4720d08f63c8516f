import { readDaemonAddress } from '../config/config.ts'
import { say, speaksPortuguese } from '../language/say.ts'
import { askDaemon } from './daemon-request.ts'
import { exitCodes } from './exit-codes.ts'
import { readConfig } from './read-config.ts'

interface Listed {
  readonly name: string
  readonly summary: string
  /** Absent where the daemon is an older one. */
  readonly summaryPt?: string
  readonly input: { readonly properties: Readonly<Record<string, unknown>>; readonly required?: readonly string[] }
}

/** `market-agent operations`: what the running daemon can do, for a person or, with `--json`, as it says it itself. */
export async function operations(options: { config?: string; json?: boolean }): Promise<void> {
  const address = readConfig(options.config, readDaemonAddress)
  const answer = address && (await askDaemon(address, 'GET', '/operations'))
  if (!answer) return
  if (answer.status !== 200) process.exitCode = exitCodes.refused
  if (options.json || answer.status !== 200) return void process.stdout.write(`${answer.text}\n`)
  for (const { name, summary, summaryPt, input } of (JSON.parse(answer.text) as { operations: Listed[] }).operations) {
    const fields = Object.keys(input.properties).map((field) =>
      input.required?.includes(field) ? field : `[${field}]`,
    )
    process.stdout.write(
      `${name}\n    ${(speaksPortuguese() && summaryPt) || summary}\n    ${say`input`}: ${fields.join(', ')}\n`,
    )
  }
}
