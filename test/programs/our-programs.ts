import { join } from 'node:path'

const root = join(import.meta.dirname, '..', '..')

/** The executable of a program, where TEST_EXECUTABLES_DIR names a folder with both. */
function executableOf(name: string): readonly string[] | undefined {
  const folder = process.env['TEST_EXECUTABLES_DIR']
  return folder ? [join(folder, name)] : undefined
}

/** The bundle of a program, or its source where nobody has bundled it. @see bundlePrograms */
function fileOf(bundle: string, source: string): string {
  const folder = process.env['TEST_PROGRAMS_DIR']
  return folder ? join(folder, bundle) : join(root, source)
}

/**
 * How tests start `market-agent` as a process of its own.
 *
 * @param nodeArgs Arguments of Node, before the program. An executable takes none.
 */
export function agentProgram(nodeArgs: readonly string[] = []): readonly string[] {
  return executableOf('market-agent') ?? [process.execPath, ...nodeArgs, fileOf('market-agent.mjs', 'agent/main.ts')]
}

/** How tests start `platform-stub` as a process of its own. */
export function stubProgram(): readonly string[] {
  return executableOf('platform-stub') ?? [process.execPath, fileOf('platform-stub.mjs', 'platform-stub/main.ts')]
}
