import { readFileSync } from 'node:fs'
import { jsonFaultInWords } from '../../contract/faults-in-words.ts'
import { decodeUtf8, readStrictJson } from '../../contract/strict-json.ts'
import { readDaemonAddress } from '../config/config.ts'
import { askDaemon } from './daemon-request.ts'
import { exitCodes } from './exit-codes.ts'
import { readConfig } from './read-config.ts'

export interface CallOptions {
  readonly config?: string
  readonly input?: string
  readonly inputFile?: string
  readonly id?: string
}

/** `market-agent call`: one call from a shell. Prints the answer; the exit code says how it went. */
export async function call(operation: string, dash: string | undefined, options: CallOptions): Promise<void> {
  const inputText = readInput(dash, options)
  const address = inputText === undefined ? undefined : readConfig(options.config, readDaemonAddress)
  if (inputText === undefined || !address) return
  const idMember = options.id === undefined ? '' : `,"id":${JSON.stringify(options.id)}`
  // The input goes on as it was written: reading and writing it again could change a number.
  const body = `{"operation":${JSON.stringify(operation)},"input":${inputText}${idMember}}`
  const answer = await askDaemon(address, 'POST', '/call', body)
  if (!answer) return
  process.stdout.write(`${answer.text}\n`)
  if (answer.status === 400) process.exitCode = exitCodes.usage
  else if (!answer.text.startsWith('{"ok":true')) process.exitCode = exitCodes.refused
}

/** JSON text of an object; undefined, told and the exit code set, where there is none. */
function readInput(dash: string | undefined, { input, inputFile }: CallOptions): string | undefined {
  const given = [dash, input, inputFile].filter((source) => source !== undefined)
  if (given.length > 1 || (dash !== undefined && dash !== '-'))
    return usage('give the input once: --input JSON, --input-file FILE or -')
  const text = input ?? (inputFile === undefined && dash === undefined ? '{}' : readText(inputFile))
  if (text === undefined) return undefined
  const reading = readStrictJson(text)
  return reading.ok ? text.trim() : usage(jsonFaultInWords(reading.fault))
}

/** The text of a file, or of standard input; undefined, told and the exit code set, where there is none. */
function readText(inputFile: string | undefined): string | undefined {
  const source = inputFile ?? 'standard input'
  try {
    return decodeUtf8(readFileSync(inputFile ?? 0)) ?? usage(`${source} is not UTF-8: save it as UTF-8`)
  } catch (error) {
    return usage(`cannot read ${source}: ${(error as NodeJS.ErrnoException).code}`)
  }
}

function usage(problem: string): undefined {
  process.stderr.write(`market-agent call: ${problem}\n`)
  process.exitCode = exitCodes.usage
  return undefined
}
