import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readStrictJson } from '../../contract/strict-json.ts'

// A file of its own: what is parsed here would spoil JSON.parse for other tests of the same process.

/**
 * After a name that is one backslash, `JSON.parse` of Node 24 and 26 reads some escaped names wrong. When this fails,
 * Node has the fix: `contract/strict-json.ts` says what may go then.
 *
 * @see https://github.com/nodejs/node/issues/63785
 */
test('an escaped name is read as it is written, where JSON.parse reads it wrong after an earlier text', () => {
  const text = '{"h":1,"\\"":2}'
  JSON.parse('{"h":[],"\\\\":0}')
  expect(Object.keys(JSON.parse(text))).toEqual(['h', '\\'])
  expect(readStrictJson(text)).toMatchObject({ ok: true, object: { value: { h: 1, '"': 2 } } })
})

test('every spelling of a name is read as that name, whatever was parsed before', () => {
  const character = fc.constantFrom('a', 'i', 'd', '"', '\\', '/', '\n', '\u0000', 'é', '🗡')
  const spelled = fc
    .tuple(fc.array(character, { maxLength: 3 }), fc.infiniteStream(fc.nat(2)))
    .map(([parts, choices]) => {
      const text = parts.map((part) => spellings(part)[choices.next().value % spellings(part).length]).join('')
      return [parts.join(''), text] as const
    })
  const members = fc.uniqueArray(spelled, { minLength: 1, maxLength: 5, selector: ([name]) => name })
  fc.assert(
    fc.property(members, members, (poison, read) => {
      const textOf = (list: typeof read) => `{${list.map(([, text], index) => `"${text}":${index}`).join(',')}}`
      JSON.parse(textOf(poison))
      const reading = readStrictJson(textOf(read))
      if (!reading.ok) throw new Error(reading.error.kind)
      expect(new Map(Object.entries(reading.object.value))).toEqual(new Map(read.map(([name], index) => [name, index])))
      expect([...reading.object.rawMembers.keys()]).toEqual(read.map(([name]) => name))
    }),
    { numRuns: 3_000 },
  )
})

/** How a JSON string may write a character. */
function spellings(character: string): readonly string[] {
  const units = [...Array(character.length).keys()].map((at) => character.charCodeAt(at).toString(16).padStart(4, '0'))
  const escaped = units.map((unit) => `\\u${unit}`).join('')
  const short = JSON.stringify(character).slice(1, -1)
  return [short, escaped, character === '/' ? '\\/' : escaped.toUpperCase().replaceAll('U', 'u')]
}
