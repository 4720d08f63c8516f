import { expect, test } from 'vitest'
import { unrunLines } from './unrun-lines.ts'

const source = `function refuse(call) {
  // A comment does not run.
  if (call.isWrong) return 'wrong'
  return 'right'
}
`
const whole = { startOffset: 0, endOffset: source.length, count: 1 }
const branch = (count: number) => {
  const startOffset = source.indexOf("return 'wrong'")
  return { startOffset, endOffset: startOffset + "return 'wrong'".length, count }
}
const report = (...ranges: readonly (typeof whole)[]) => ({ functions: [{ ranges }] })

test('a line of which a part has never run is named', () => {
  expect(unrunLines(source, [report(whole, branch(0))])).toEqual(["3: if (call.isWrong) return 'wrong'"])
})

test('a line that ran in one of several reports has run', () => {
  expect(unrunLines(source, [report(whole, branch(0)), report(whole, branch(2))])).toEqual([])
})

test('a function that was never called is named line by line, without its comments', () => {
  const never = { ...whole, count: 0 }
  expect(unrunLines(source, [report(never)])).toEqual([
    '1: function refuse(call) {',
    "3: if (call.isWrong) return 'wrong'",
    "4: return 'right'",
  ])
})
