import { readFileSync } from 'node:fs'
import { jsonErrorInWords } from '../../contract/faults-in-words.ts'
import { jsonErrorText } from '../../contract/json-error-text.ts'
import { decodeUtf8, readStrictJson } from '../../contract/strict-json.ts'
import { readDaemonAddress } from '../config/config.ts'
import { say, speaksPortuguese } from '../language/say.ts'
import { askDaemon } from './daemon-request.ts'
import { exitCodes } from './exit-codes.ts'
import { readConfig } from './read-config.ts'

export interface CallOptions {
  readonly config?: string
  readonly input?: string
  readonly inputFile?: string
  readonly id?: string
}

/** `market-agent call`: one call from a shell. Prints the answer; the exit code says whether it succeeded. */
export async function call(operation: string, dash: string | undefined, options: CallOptions): Promise<void> {
  const inputText = readInput(dash, options)
  const address = inputText === undefined ? undefined : readConfig(options.config, readDaemonAddress)
  if (inputText === undefined || !address) return
  const idMember = options.id === undefined ? '' : `,"id":${JSON.stringify(options.id)}`
  // The input is sent as it was written: parsing and writing it again could change a number.
  const body = `{"operation":${JSON.stringify(operation)},"input":${inputText}${idMember}}`
  const answer = await askDaemon(address, 'POST', '/call', body)
  if (!answer) return
  process.stdout.write(`${answer.text}\n`)
  if (answer.status === 400) process.exitCode = exitCodes.usage
  else if (!answer.text.startsWith('{"ok":true')) process.exitCode = exitCodes.refused
}

/** The JSON text of an object; undefined after an error was reported and the exit code set. */
function readInput(dash: string | undefined, { input, inputFile }: CallOptions): string | undefined {
  const given = [dash, input, inputFile].filter((source) => source !== undefined)
  if (given.length > 1 || (dash !== undefined && dash !== '-'))
    return usage(say`give the input once: --input JSON, --input-file FILE or -`)
  const text = input ?? (inputFile === undefined && dash === undefined ? '{}' : readText(inputFile))
  if (text === undefined) return undefined
  const reading = readStrictJson(text)
  if (reading.ok) return text.trim()
  return usage(speaksPortuguese() ? jsonErrorInWords(reading.error) : `the input ${jsonErrorText(reading.error)}`)
}

/** The text of a file, or of standard input; undefined after an error was reported and the exit code set. */
function readText(inputFile: string | undefined): string | undefined {
  const source = inputFile ?? say`standard input`
  try {
    return decodeUtf8(readFileSync(inputFile ?? 0)) ?? usage(say`${source} is not UTF-8: save it as UTF-8`)
  } catch (error) {
    return usage(say`cannot read ${source}: ${(error as NodeJS.ErrnoException).code}`)
  }
}

function usage(problem: string): undefined {
  process.stderr.write(`market-agent call: ${problem}\n`)
  process.exitCode = exitCodes.usage
  return undefined
}
