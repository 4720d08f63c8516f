import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { limits } from '../../contract/limits.ts'
import { decodeUtf8, type JsonError, readStrictJson } from '../../contract/strict-json.ts'

/** The value, or the fault's kind with what it names. */
function read(text: string, numbers: 'exact' | 'any' = 'exact'): unknown {
  const reading = readStrictJson(text, { numbers })
  return reading.ok ? reading.object.value : reading.error
}

const fault = (text: string): JsonError | undefined => {
  const reading = readStrictJson(text)
  return reading.ok ? undefined : reading.error
}

test('a text that is not JSON is refused', () => {
  const texts = ['', ' ', '{', '}', '{"a"}', '{"a":}', '{a:1}', "{'a':1}", '{"a":1,}', '{,}', '{"a":1}}', '{"a":1} x']
  const more = [
    '{"a":01}',
    '{"a":+1}',
    '{"a":.5}',
    '{"a":1.}',
    '{"a":0x1}',
    '{"a":NaN}',
    '{"a":Infinity}',
    '{"a":True}',
  ]
  const strings = ['{"a":"\n"}', '{"a":"\\x61"}', '{"a":"\\u12"}', '{"a":"\t"}', '{"a":"\0"}', '{"a":"b}', '{"a":"\\"}']
  const extras = ['/**/{}', '{}//', '{/**/}', '\ufeff{}', '{}\ufeff', '\u00a0{}', '{"a":\u20281}', '{}{}', 'undefined']
  for (const text of [...texts, ...more, ...strings, ...extras]) {
    expect(fault(text), text).toMatchObject({ kind: 'not-json' })
  }
})

test('a text that is not JSON is refused with the place of its first error', () => {
  const places: readonly (readonly [text: string, line: number, column: number])[] = [
    ['', 1, 1],
    ['{"a":1', 1, 7],
    ['{"a":1,}', 1, 8],
    ['{"a" 1}', 1, 6],
    ['{\n  "a": 1\n  "b": 2\n}', 3, 3],
    ['{\r\n"a": x}', 2, 6],
    ['{"🗡é": nao}', 1, 8],
    ['{"a":"b\nc"}', 1, 8],
    ['{"a":"\\x"}', 1, 7],
    ['{"a":01}', 1, 7],
    ['{} {}', 1, 4],
    ['{"n":9007199254740993', 1, 22],
  ]
  for (const [text, line, column] of places) expect(fault(text), text).toEqual({ kind: 'not-json', line, column })
})

test('JSON that is not an object is refused', () => {
  for (const text of ['[]', '[{}]', '"{}"', '1', '-0', 'null', 'true', 'false', ' [1] ']) {
    expect(fault(text), text).toEqual({ kind: 'not-an-object' })
  }
})

test('white space, escapes and the empty object are as JSON has them', () => {
  expect(read(' \t\r\n{ } \n')).toEqual({})
  expect(read('{"":""}')).toEqual({ '': '' })
  expect(read('{"a":[],"b":{},"c":[{}],"d":[[],[]]}')).toEqual({ a: [], b: {}, c: [{}], d: [[], []] })
  expect(read('{"\\"\\\\\\/\\b\\f\\n\\r\\t\\u0041":"{[,:]}\\\\"}')).toEqual({ '"\\/\b\f\n\r\tA': '{[,:]}\\' })
  expect(read('{"a":"\\\\","b":"\\"","c":"\\\\\\""}')).toEqual({ a: '\\', b: '"', c: '\\"' })
})

// Names

test('a name given twice is found wherever it is and however it is spelled', () => {
  const twice = {
    a: ['{"a":1,"a":1}', '{"a":1,"b":2,"a":3}', '{"a":1,"\\u0061":2}', '{"\\u0061":1,"a":2}', '{ "a" : 1 , "a" : 1 }'],
    b: ['{"a":{"b":1,"b":2}}', '{"a":[{"b":1,"b":2}]}', '{"a":[1,[{"c":{},"b":[],"b":"x"}]]}', '{"b":{"b":{}},"b":[]}'],
    '': ['{"":1,"":2}'],
    é: ['{"é":1,"\\u00e9":2}'],
    '🗡': ['{"🗡":1,"\\ud83d\\udde1":2}'],
  }
  for (const [name, texts] of Object.entries(twice)) {
    for (const text of texts) expect(fault(text), text).toEqual({ kind: 'duplicate-name', name })
  }
  expect(fault('{"__proto__":1,"__proto__":2}')).toEqual({ kind: 'duplicate-name', name: '__proto__' })
  expect(fault('{"constructor":1,"constructor":2}')).toEqual({ kind: 'duplicate-name', name: 'constructor' })
})

test('a name may be there again in another object, as a value, and inside a string', () => {
  const texts = [
    '{"a":{"a":{"a":1}}}',
    '{"a":[{"a":1},{"a":2}]}',
    '{"a":"a","b":"a"}',
    '{"a":["a","a"]}',
    '{"a":"\\"a\\":1,\\"a\\":2"}',
    '{"a":1,"A":2,"a ":3,"á":4,"a\\u0301":5}',
    '{"a":[{},"b"],"b":1}',
    '{"a":{},"b":{},"c":["a","b","c"]}',
  ]
  for (const text of texts) expect(read(text), text).toEqual(JSON.parse(text))
})

test('__proto__ is a name like any other', () => {
  const reading = readStrictJson('{"__proto__":{"alg":"none"},"a":{"__proto__":1}}')
  if (!reading.ok) throw new Error(reading.error.kind)
  expect(Object.keys(reading.object.value)).toEqual(['__proto__', 'a'])
  expect(reading.object.value['alg']).toBeUndefined()
  expect(reading.object.rawMembers.get('__proto__')).toBe('{"alg":"none"}')
})

// Numbers

test('an integer passes up to ±(2^53 − 1), however it is spelled, and not beyond', () => {
  const pass = [
    '0',
    '-0',
    '9007199254740991',
    '-9007199254740991',
    '1E2',
    '1e+2',
    '1.0',
    '9007199254740991.0',
    '9.007199254740991e15',
  ]
  const fractions = ['0.5', '-0.1', '1e-7', '1.7976931348623157e-300', '5e-324', '4503599627370495.5']
  for (const number of [...pass, ...fractions]) expect(read(`{"n":${number}}`), number).toEqual({ n: Number(number) })

  const refused = [
    '9007199254740992',
    '9007199254740993',
    '-9007199254740992',
    '9007199254740993.0',
    '9007199254740992e0',
  ]
  const large = [
    '1e16',
    '1E400',
    '-1e400',
    '1e400',
    '1e308',
    '9'.repeat(400),
    '90071992547409930e-1',
    '18446744073709551615',
  ]
  for (const number of [...refused, ...large]) {
    const expected = { kind: 'inexact-number', number }
    expect(fault(`{"n":${number}}`), number).toEqual(expected)
    expect(fault(`{"a":[{"b":[1,${number} ]}]}`), number).toEqual(expected)
  }
})

test('a number between two strings, in a string or as a name is not a number', () => {
  expect(read('{"9007199254740993":"9007199254740993","a":["1e999"]}')).toEqual({
    '9007199254740993': '9007199254740993',
    a: ['1e999'],
  })
})

test('where any number passes, its digits stay in the raw members', () => {
  const reading = readStrictJson('{"a":9007199254740993,"b":{"c": 1E400 },"d":-0,"e":1.10}', { numbers: 'any' })
  if (!reading.ok) throw new Error(reading.error.kind)
  expect(Object.fromEntries(reading.object.rawMembers)).toEqual({
    a: '9007199254740993',
    b: '{"c": 1E400 }',
    d: '-0',
    e: '1.10',
  })
})

test('any numbers lift no other rule', () => {
  expect(read('{"a":1,"a":2}', 'any')).toEqual({ kind: 'duplicate-name', name: 'a' })
  expect(read('{"a":"\\ud800"}', 'any')).toEqual({ kind: 'lone-surrogate', line: 1, column: 6 })
  expect(read('[1e999]', 'any')).toEqual({ kind: 'not-an-object' })
})

// Depth

test('32 levels pass, of objects or lists, and 33 do not', () => {
  const lists = (depth: number) => `{"a":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`
  const objects = (depth: number) => `${'{"a":'.repeat(depth - 1)}{}${'}'.repeat(depth - 1)}`
  expect(limits.jsonDepthMax).toBe(32)
  for (const nested of [lists, objects]) {
    expect(read(nested(32))).toEqual(JSON.parse(nested(32)))
    expect(fault(nested(33))).toEqual({ kind: 'too-deep' })
  }
  expect(fault(`{"a":[${lists(31)},${lists(30)}]}`)).toEqual({ kind: 'too-deep' })
  expect(fault(`{"a":${lists(31)},"b":${lists(31)}}`)).toBeUndefined()
  expect(read(`{"a":"${'['.repeat(40)}"}`)).toEqual({ a: '['.repeat(40) })
})

test('nesting as deep as a body can be is refused, not a crash', () => {
  const half = limits.bodyBytesMax / 2
  expect(fault(`{"a":${'['.repeat(half)}${']'.repeat(half)}}`)).toEqual({ kind: 'too-deep' })
  expect(fault('['.repeat(limits.bodyBytesMax))).toEqual({ kind: 'too-deep' })
})

// Unicode

test('half a surrogate pair is refused, escaped or not, in names and values', () => {
  const lone = [
    '\\ud800',
    '\\udc00',
    '\\udfff',
    '\\udbff',
    '\\ud800\\ud800',
    '\\udc00\\ud800',
    '\\ud800x',
    'x\\udc00',
    '\\uD800\\n',
  ]
  const raw = ['\ud800', '\udc00', 'x\udbff']
  for (const half of [...lone, ...raw, '\ud800\\udc00', '\\ud800\udc00']) {
    for (const text of [`{"a":"${half}"}`, `{"${half}":1}`, `{"a":[{"b":["${half}"]}]}`]) {
      expect(fault(text), JSON.stringify(text)).toMatchObject({ kind: 'lone-surrogate' })
    }
  }
})

test('whole pairs, backslashes before a u, and unassigned characters pass', () => {
  for (const text of [
    '\\ud83d\\udde1',
    '🗡',
    '\\\\ud800',
    '\\uffff',
    '\\u0000',
    '\uffff',
    '\\u2028',
    '\u2028',
    '\ufeff',
  ]) {
    expect(read(`{"a":"${text}"}`)).toEqual(JSON.parse(`{"a":"${text}"}`))
  }
})

test('UTF-8 is decoded strictly; a byte order mark before it is taken off, once', () => {
  const bytes = (...values: number[]) => Uint8Array.from(values)
  expect(decodeUtf8(bytes())).toBe('')
  expect(decodeUtf8(bytes(0xef, 0xbb, 0xbf, 0x7b, 0x7d))).toBe('{}')
  expect(decodeUtf8(bytes(0xef, 0xbb, 0xbf, 0xef, 0xbb, 0xbf))).toBe('\ufeff')
  expect(decodeUtf8(new TextEncoder().encode('é★剣🗡'))).toBe('é★剣🗡')
  const invalid = [
    [0xff],
    [0xfe, 0xff],
    [0xff, 0xfe],
    [0xc3],
    [0xc0, 0xaf],
    [0xed, 0xa0, 0x80],
    [0xf4, 0x90, 0x80, 0x80],
    [0x80],
    [0xef, 0xbb],
  ]
  for (const values of invalid) {
    expect(decodeUtf8(bytes(...values)), `${values}`).toBeUndefined()
    // One bad text leaves nothing behind in the decoder.
    expect(decodeUtf8(bytes(0xef, 0xbb, 0xbf, 0x61))).toBe('a')
  }
})

// Against texts that were built from values. JSON.parse cannot judge escaped names: see escaped-names.test.ts.

test('what JSON.stringify writes of any object is read as that object, and its members one by one', async () => {
  const values = fc.jsonValue({ maxDepth: 6, noUnicodeString: false })
  await fc.assert(
    fc.property(
      fc.dictionary(fc.string({ unit: 'grapheme' }), values),
      fc.constantFrom('', ' ', '\t', '\n  '),
      (object, space) => {
        const text = JSON.stringify(object, null, space)
        const reading = readStrictJson(text, { numbers: 'any' })
        if (!reading.ok) throw new Error(JSON.stringify(reading.error))
        expect(JSON.stringify(reading.object.value)).toBe(JSON.stringify(object))
        const members = Object.entries(object)
        expect([...reading.object.rawMembers.keys()].sort()).toEqual(members.map(([name]) => name).sort())
        for (const [name, value] of members) {
          const raw = reading.object.rawMembers.get(name) ?? ''
          if (space === '') expect(raw).toBe(JSON.stringify(value))
          expect(raw).toBe(raw.trim())
          expect(text).toContain(raw)
        }
      },
    ),
    { numRuns: 300 },
  )
})

/** A JSON text with its name/value structure kept, so that a reference can say what is wrong with it. */
type Node = { text: string; isFaulty: boolean; value: unknown }

const leaf: fc.Arbitrary<Node> = fc.oneof(
  fc.constantFrom(
    sound('true', true),
    sound('false', false),
    sound('null', null),
    sound('""', ''),
    sound('[]', []),
    sound('{}', {}),
    sound('0', 0),
    sound('-1.5e-3', -0.0015),
    sound('"\\u0061\\\\"', 'a\\'),
  ),
  fc.maxSafeInteger().map((integer) => sound(`${integer}`, integer)),
  fc.string({ unit: 'grapheme' }).map((text) => sound(JSON.stringify(text), text)),
  {
    arbitrary: fc.constantFrom('9007199254740992', '1e999', '-1E400', '"\\ud800"', '"x\\udc00"').map(faulty),
    weight: 1,
  },
)
function sound(text: string, value: unknown): Node {
  return { text, isFaulty: false, value }
}
function faulty(text: string): Node {
  return { text, isFaulty: true, value: undefined }
}
const blank = fc.constantFrom('', ' ', '\n', '\t \r')
/** A name of few, in one of its spellings, so that names meet. */
const spelledName = fc.constantFrom(
  ['a', '"a"'],
  ['a', '"\\u0061"'],
  ['b', '"b"'],
  ['', '""'],
  ['{', '"{"'],
  ['"', '"\\""'],
)

const { object } = fc.letrec<{ node: Node; object: Node; list: Node }>((tie) => ({
  node: fc.oneof({ maxDepth: 5, depthSize: 'small' }, leaf, tie('object'), tie('list')),
  list: fc.array(fc.tuple(blank, tie('node')), { maxLength: 4 }).map((items) => ({
    text: `[${items.map(([space, node]) => space + node.text + space).join(',')}]`,
    isFaulty: items.some(([, node]) => node.isFaulty),
    value: items.map(([, node]) => node.value),
  })),
  object: fc.array(fc.tuple(blank, spelledName, tie('node')), { maxLength: 4 }).map((members) => ({
    text: `{${members.map(([space, [, spelled], node]) => `${space}${spelled}${space}:${space}${node.text}${space}`).join(',')}}`,
    isFaulty:
      members.some(([, , node]) => node.isFaulty) || new Set(members.map(([, [name]]) => name)).size < members.length,
    value: Object.fromEntries(members.map(([, [name], node]) => [name, node.value])),
  })),
}))

test('exactly the texts that were built without a fault are accepted', async () => {
  let faults = 0
  let passes = 0
  await fc.assert(
    fc.property(object, ({ text, isFaulty, value }) => {
      isFaulty ? faults++ : passes++
      const reading = readStrictJson(text)
      expect(reading.ok).toBe(!isFaulty)
      if (reading.ok) expect(reading.object.value).toEqual(value)
    }),
    { numRuns: 4_000 },
  )
  expect(Math.min(faults, passes)).toBeGreaterThan(200)
})

test('no text makes the reader throw, and it accepts none that JSON.parse refuses', async () => {
  const mangled = fc.tuple(fc.json(), fc.nat(), fc.nat(3), fc.string()).map(([text, at, length, piece]) => {
    const from = at % (text.length + 1)
    return text.slice(0, from) + piece + text.slice(from + length)
  })
  await fc.assert(
    fc.property(
      fc.oneof(
        mangled,
        fc.string(),
        object.map(({ text }) => text.slice(0, -1)),
      ),
      (text) => {
        const reading = readStrictJson(text)
        if (!reading.ok) return
        const value = JSON.parse(text)
        if (!text.includes('\\')) expect(reading.object.value).toEqual(value)
      },
    ),
    { numRuns: 2_000 },
  )
})
