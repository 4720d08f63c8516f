import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/outputs/no-secret-in-outputs.ts'],
    testTimeout: 30_000,
    // Two cores run two files at a time; real processes need the rest.
    maxWorkers: 2,
  },
})
