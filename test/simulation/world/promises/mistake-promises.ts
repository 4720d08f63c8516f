import type { Told } from '../game/call-agent.ts'
import { fileMistakes, httpMistakes, type Mistake, tokenMistakes } from '../game/mistakes.ts'
import type { Break } from './judge.ts'

const mistakes = [...fileMistakes, ...httpMistakes, ...tokenMistakes]
const codes: ReadonlySet<string | undefined> = new Set(mistakes.map(({ code }) => code))
/** The file is a call, which the agent answers as one. */
const ofCalls = ['INPUT_INVALID']

/**
 * A request that is wrong is refused, and the answer says what is wrong with it. It may be refused for another reason first.
 *
 * @param isKept Whether the refused file of an id is where a person finds it.
 */
export function mistakePromises(
  onBroken: Break,
  isKept: (id: string) => boolean,
): (mistake: Mistake, told: Told, id?: string) => void {
  return ({ code }, told, id) => {
    // The token may have changed on the way.
    const isForAnother = told.code !== code && told.code !== 'TOKEN_INVALID' && codes.has(told.code)
    if (told.ok || told.isUncertain || told.code === undefined || isForAnother)
      onBroken('a request that is wrong is refused for what is wrong', `${code}: ${told.text}`)
    if (id !== undefined && told.code === code && !ofCalls.includes(code) && !isKept(id))
      onBroken('a file that is refused is kept for a person to read', `${code}: ${id}`)
  }
}
