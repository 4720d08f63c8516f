import { expect, test } from 'vitest'
import { parseSource, readSourceFiles, type SourceFile } from './source-files.ts'

/** Words that this project no longer uses in names, each with the word that says it better. */
const retired: Readonly<Record<string, string>> = {
  place: 'slot (one of the eight), position (in a queue)',
  'in line': 'key queue',
  leave: 'ignore, release, unclaim',
  left: 'orphaned, done, ignored',
  leaving: 'ignored, released',
  held: 'locked, busy',
  standing: 'state, phase',
  stands: 'is, exists',
  'fault words': 'input error',
  journey: 'clock jump, travel',
  destination: 'the moment that the clock jumps to',
  hurried: 'travelling',
  chance: 'random',
  befall: 'apply, happen',
  befalls: 'applies, happens',
  deed: 'event',
  sight: 'observation',
  unfit: 'invalid',
  'no such page': 'not found',
  whoever: 'the caller, the reader, …',
  nobody: 'none',
  somebody: 'a person',
}

/** The same for a name that consists of only this word. */
const retiredAlone: Readonly<Record<string, string>> = {
  sent: 'attempt result',
  written: 'an imperative, such as commitOrBreak',
  kept: 'an imperative, such as storeAnswer',
  looked: 'an imperative, such as readOrBreak',
  settled: 'an imperative, such as settleDoubt',
}

/** One text for each name that contains a retired word: the name of a file, a folder or an export. */
function retiredNames({ path, exports }: SourceFile): string[] {
  const names = [...path.replace(/\.\w+$/, '').split('/'), ...exports]
  return names.flatMap((name) => {
    const words = ` ${wordsOf(name).join(' ')} `
    const found = [
      ...Object.entries(retired).filter(([word]) => words.includes(` ${word} `)),
      ...Object.entries(retiredAlone).filter(([word]) => words === ` ${word} `),
    ]
    return found.map(([word, better]) => `${path}: ${name}\n  No name here uses "${word}" any more. Use: ${better}.`)
  })
}

/** `callsInLine`, `calls-in-line` and `CALLS_IN_LINE` are "calls in line". */
function wordsOf(name: string): string[] {
  return name.split(/[-_.]|(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/).map((word) => word.toLowerCase())
}

test('no file and no export is named with a word that the project has given up', () => {
  expect(readSourceFiles().flatMap(retiredNames).join('\n')).toBe('')
})

test('a retired word is found in the names of files, folders and exports, in every spelling', () => {
  const namesIn = (path: string, text: string) => retiredNames(parseSource(path, text)).length
  expect(namesIn('agent/spool/calls-in-line.ts', '')).toBe(1)
  expect(namesIn('agent/left/a.ts', '')).toBe(1)
  for (const text of [
    'export const placesHeld = 1; export function takePlace() {}',
    'export class HeldError {}',
    'export interface TransactionStanding {}',
    'export type Chance = 1',
    'const a = 1; export { a as noSuchPage }',
    'export default function whoever() {}',
    "export { a as HELD } from './b.ts'",
    'export type Sent = 1',
  ]) {
    expect(namesIn('agent/call/a.ts', text), text).toBeGreaterThanOrEqual(1)
  }
})

test('a word that only contains a retired one passes', () => {
  const text =
    'export const replaceFile = 1, leftover = 2, commandLine = 3, insight = 4, absent = 5, outstanding = 6, wasSent = 7'
  expect(retiredNames(parseSource('agent/command-line/replace-file.ts', text))).toEqual([])
})
