import { join } from 'node:path'

/** How the two programs are started. */
export interface ProgramCommands {
  readonly agent: readonly string[]
  readonly stub: readonly string[]
}

const root = join(import.meta.dirname, '..')

/** From their source, with the signal off that would open the inspector. */
export const sourcePrograms: ProgramCommands = {
  agent: [process.execPath, '--disable-sigusr1', join(root, 'agent', 'main.ts')],
  stub: [process.execPath, join(root, 'platform-stub', 'main.ts')],
}

/** As the single files that `npm run build` makes. */
export const binaryPrograms: ProgramCommands = {
  agent: [join(root, 'dist', 'market-agent')],
  stub: [join(root, 'dist', 'platform-stub')],
}
