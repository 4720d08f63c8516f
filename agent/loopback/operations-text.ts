import * as z from 'zod/mini'
import { operations } from '../../contract/operations.ts'

/** JSON text of GET /operations: each operation's name, summary, and input as JSON Schema. */
export function operationsText(): string {
  const described = Object.entries(operations).map(([name, { summary, input }]) => {
    const { $schema: _, ...schema } = z.toJSONSchema(input)
    return { name, summary, input: schema }
  })
  return JSON.stringify({ ok: true, operations: described })
}
