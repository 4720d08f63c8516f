/**
 * Bundles each program with its packages into one ES module under dist/bundle; scripts/build-binaries.ts makes
 * executables of them. Not minified: it starts no faster, and stack traces stay readable.
 */
import { build } from 'esbuild'

await build({
  absWorkingDir: import.meta.dirname,
  entryPoints: { 'market-agent': 'agent/main.ts', 'platform-stub': 'platform-stub/main.ts' },
  outdir: 'dist/bundle',
  outExtension: { '.js': '.mjs' },
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node26',
  banner: {
    // Packages written as CommonJS `require` Node's own modules, and write-file-atomic names its temporaries by
    // `__filename`; an ES module has neither.
    // The long name leaves `createRequire` free for the bundled code.
    js: [
      "import { createRequire as createRequireForBundle } from 'node:module'",
      'const require = createRequireForBundle(import.meta.url)',
      'const __filename = import.meta.filename',
    ].join('\n'),
  },
  logLevel: 'warning',
}).catch(() => {
  // esbuild has already told what is wrong, with file and line; its stack would bury that.
  process.exitCode = 1
})
