import { join } from 'node:path'

/** How the two programs are started. */
export interface ProgramCommands {
  readonly agent: readonly string[]
  readonly stub: readonly string[]
}

const root = join(import.meta.dirname, '..')

/**
 * Node's flags in the agent's executable. Without the first, a process that may send SIGUSR1 can open the inspector and
 * read the private key. A smaller young generation than Node's own keeps 20 MB free under load; a still smaller one is collected
 * so often that it shows. It is collected by one thread: others would have to be woken for less than a millisecond.
 */
export const agentExecArgv: readonly string[] = [
  '--disable-sigusr1',
  '--max-semi-space-size=8',
  '--no-parallel-scavenge',
]

/** From their source. */
export const sourcePrograms: ProgramCommands = {
  agent: [process.execPath, ...agentExecArgv, join(root, 'agent', 'main.ts')],
  stub: [process.execPath, join(root, 'platform-stub', 'main.ts')],
}

const binaries = process.env['MARKET_AGENT_BINARIES'] ?? join(root, 'dist')

/** As the single files that `npm run build` makes, or as those in the folder that MARKET_AGENT_BINARIES names. */
export const binaryPrograms: ProgramCommands = {
  agent: [join(binaries, 'market-agent')],
  stub: [join(binaries, 'platform-stub')],
}
