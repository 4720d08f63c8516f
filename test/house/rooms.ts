/** The programs, and what both are built on. */
export type Program = 'contract' | 'agent' | 'platform-stub'

/**
 * The rooms of each program, from the top row down. A file may import its own room and the rooms in the rows below.
 * Two rooms in one row do not import each other. A room is a folder, or a file next to `main.ts`.
 */
export const rows: Readonly<Record<Program, readonly (readonly string[])[]>> = {
  contract: [],
  agent: [
    ['main.ts'],
    ['command-line'],
    ['agent.ts', 'real-outside.ts', 'service', 'check'],
    ['outside.ts'],
    ['status'],
    ['webhook-bridge'],
    ['loopback', 'spool'],
    ['postgres', 'sqlite-store.ts'],
    ['store.ts'],
    ['orders'],
    ['log'],
    ['journal'],
    ['call'],
    ['platform'],
    ['database', 'http'],
    ['ownership'],
    ['config'],
    ['durable-files'],
    ['signing'],
    ['clock'],
    ['language'],
  ],
  'platform-stub': [
    ['main.ts'],
    ['commands'],
    ['server'],
    ['openapi', 'pages', 'developer'],
    ['partner-api'],
    ['http'],
    ['webhooks'],
    ['faults'],
    ['marketplace'],
    ['clock'],
    ['store'],
    ['user-error.ts'],
  ],
}

/** The packages that only compute, so that `contract/` may import them. */
export const contractPackages: readonly string[] = ['jose', 'zod']

/** The same, of Node: what may be imported by name from a module that otherwise reaches outside. */
export const pureOfNode: Readonly<Record<string, readonly string[]>> = {
  'node:crypto': ['KeyObject', 'constants', 'publicDecrypt'],
}
