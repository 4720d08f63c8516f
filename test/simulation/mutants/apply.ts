import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { fileURLToPath } from 'node:url'
import { applyMutant, mutantNamed } from './mutants.ts'

/**
 * Loaded before the simulation (`node --import`): the file of the mutant that `MUTANT` names is read with its fault. The
 * files themselves stay as they are.
 */
const mutant = mutantNamed(process.env['MUTANT'] ?? '')

registerHooks({
  load(url, context, nextLoad) {
    if (!url.endsWith(`/${mutant.file}`)) return nextLoad(url, context)
    const source = applyMutant(readFileSync(fileURLToPath(url), 'utf8'), mutant)
    return { format: 'module-typescript', source, shortCircuit: true }
  },
})
