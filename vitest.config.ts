import { defineConfig } from 'vitest/config'
import { LongTestsFirst } from './test/long-tests-first.ts'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // The programs speak the language of the shell that starts them.
    env: { LC_ALL: 'C.UTF-8' },
    globalSetup: [
      'test/outputs/no-secret-in-outputs.ts',
      'test/programs/bundle.ts',
      'test/programs/shared-postgres.ts',
    ],
    // A bound against a test that hangs. A busy machine is several times slower than a quiet one.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // Not the usual 1 s, for the same reason. Shorter than a test's own, so that what did not come is named.
    expect: { poll: { timeout: 60_000 } },
    // On two cores. Tests wait a third of the time, for processes and clocks.
    maxWorkers: 3,
    sequence: { sequencer: LongTestsFirst },
  },
})
