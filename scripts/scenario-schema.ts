import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod/mini'
import { scenario } from '../platform-stub/developer/scenarios/scenario.ts'

// node scripts/scenario-schema.ts
// Writes the JSON Schema of scenarios, for editors, from the schema that the stub reads them by.

const file = join(import.meta.dirname, '..', 'platform-stub', 'developer', 'scenarios', 'scenario.schema.json')
writeFileSync(file, `${JSON.stringify(z.toJSONSchema(scenario, { io: 'input' }), null, 2)}\n`)
