import { readFileSync } from 'node:fs'
import { jsonErrorText } from '../../../contract/json-error-text.ts'
import { decodeUtf8, readStrictJson } from '../../../contract/strict-json.ts'
import { type Scenario, scenario } from './scenario.ts'
import { fieldFault, ScenarioError } from './scenario-errors.ts'

/**
 * Reads a scenario whole before anything is done with it.
 *
 * @throws {ScenarioError} The file cannot be read or has no scenario. All errors are reported at once.
 */
export function readScenario(file: string): Scenario {
  const text = decodeUtf8(bytesOf(file))
  if (text === undefined) throw new ScenarioError(['is not UTF-8; save it as that'])
  const reading = readStrictJson(text)
  if (!reading.ok) throw new ScenarioError([jsonErrorText(reading.error)])
  const { value } = reading.object
  const parsed = scenario.safeParse(value)
  if (parsed.success) return parsed.data
  throw new ScenarioError(parsed.error.issues.map((issue) => fieldFault(issue, value)))
}

function bytesOf(file: string): Uint8Array {
  try {
    return readFileSync(file)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    throw new ScenarioError([code === 'ENOENT' ? 'no such file' : `cannot be read: ${message}`])
  }
}
