import * as z from 'zod/mini'
import { maturity, operations } from '../../contract/operations.ts'

/** JSON text of GET /operations: each operation's name, summary in both languages, maturity, and input as JSON Schema. */
export function operationsText(): string {
  const described = Object.entries(operations).map(([name, { summary, summaryPt, input }]) => {
    const { $schema: _, ...schema } = z.toJSONSchema(input)
    return { name, summary, summaryPt, maturity, input: schema }
  })
  return JSON.stringify({ ok: true, operations: described })
}
