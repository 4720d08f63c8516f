import { readStrictJson } from '../../contract/strict-json.ts'
import { type CallAnswer, refusalMembers, replayedMember } from '../call/answer.ts'

/**
 * The text of an answer file: `id`, `ok`, and on success the platform's data at the same level. `id`, `ok` and
 * `replayed` belong to the agent, so a listing's own `id` appears as `listingId`. ASCII only, for parsers that know no UTF-8. Equal
 * answers give equal bytes.
 *
 * @see interface section 4.10
 */
export function answerFileText(id: string, answer: CallAnswer): string {
  const idMember = `"id":${JSON.stringify(id)}`
  if (!answer.ok) return asciiLine(`{${idMember},"ok":false,${refusalMembers(answer)}}`)
  const members = [idMember, '"ok":true', ...flattened(answer.dataText)]
  return asciiLine(`{${members.join(',')}${replayedMember(answer)}}`)
}

/** The members of the platform's data, each value as it was written. */
function flattened(dataText: string): string[] {
  if (dataText === 'null') return []
  const reading = readStrictJson(dataText, { numbers: 'any' })
  // The contract's data is an object. Anything else is given whole.
  if (!reading.ok) return [`"data":${dataText}`]
  const names = new Set(reading.object.rawMembers.keys())
  return [...reading.object.rawMembers].flatMap(([name, valueText]) => {
    const shownAs = correlation.get(name) ?? name
    return shownAs !== name && names.has(shownAs) ? [] : [`${JSON.stringify(shownAs)}:${valueText}`]
  })
}

const correlation: ReadonlyMap<string, string> = new Map([
  ['id', 'listingId'],
  ['ok', 'dataOk'],
  ['replayed', 'dataReplayed'],
])

/** The same JSON only in ASCII, as one line without blanks between its parts, for readers that cannot parse JSON. */
export function asciiLine(json: string): string {
  let isInString = false
  // One token after another: a pattern for a whole string needs a stack as deep as the string has escapes.
  const compact = json.replace(/\\.|"|[ \t\r\n]+/g, (token) => {
    if (token === '"') isInString = !isInString
    return isInString || token.trim() !== '' ? token : ''
  })
  return `${compact.replace(/[\u007f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)}\n`
}
