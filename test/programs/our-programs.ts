import { join } from 'node:path'

const root = join(import.meta.dirname, '..', '..')
/** @see bundlePrograms */
const bundles = process.env['TEST_PROGRAMS_DIR']

/**
 * How tests start `market-agent` as a process of its own: bundled, or from its source where nobody has bundled it.
 *
 * @param nodeArgs Arguments of Node, before the program.
 */
export function agentProgram(nodeArgs: readonly string[] = []): readonly string[] {
  return [process.execPath, ...nodeArgs, bundles ? join(bundles, 'market-agent.mjs') : join(root, 'agent', 'main.ts')]
}

/** The same of `platform-stub`. */
export function stubProgram(): readonly string[] {
  return [process.execPath, bundles ? join(bundles, 'platform-stub.mjs') : join(root, 'platform-stub', 'main.ts')]
}
