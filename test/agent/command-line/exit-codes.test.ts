import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { exitCodes } from '../../../agent/command-line/exit-codes.ts'

test("the operators' page explains every exit code of the agent", () => {
  const page = join(import.meta.dirname, '..', '..', '..', 'docs', 'en', 'operations', 'exit-codes.md')
  const explained = [...readFileSync(page, 'utf8').matchAll(/^\| (\d+) \|/gm)].map(([, code]) => Number(code))
  expect(explained).toEqual(expect.arrayContaining(Object.values(exitCodes)))
})
