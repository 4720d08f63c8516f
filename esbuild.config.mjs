/**
 * Bundles each program with its packages into one ES module under dist/bundle; scripts/build-binaries.ts makes
 * executables of them. Given a folder, bundles into that, with the version that the source has. Not minified: it starts
 * no faster, and stack traces stay readable.
 */
import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { build } from 'esbuild'
import { readBuildVersion } from './scripts/release/version.ts'

/**
 * The executables say which tag or commit they were built from: in them, package.json has that version and nothing
 * else.
 *
 * @type {import('esbuild').Plugin}
 */
const buildVersion = {
  name: 'build-version',
  setup({ onLoad }) {
    onLoad({ filter: /[/\\]package\.json$/ }, ({ path }) =>
      path === join(import.meta.dirname, 'package.json')
        ? { contents: JSON.stringify({ version: readBuildVersion().version }), loader: 'json' }
        : undefined,
    )
  },
}

/**
 * An ES import of node:http reads every name that it exports, `WebSocket` and `MessageEvent` among them, and these load
 * Node's built-in fetch: 20 ms of each start and 5 MB of memory for what neither program needs by then. Asked for as a
 * built-in module it gives only the names that are used, when they are used.
 *
 * @type {import('esbuild').Plugin}
 */
const httpWithoutFetch = {
  name: 'http-without-fetch',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^(node:)?http$/ }, () => ({ path: 'node:http', namespace: 'built-in' }))
    onLoad({ filter: /.*/, namespace: 'built-in' }, ({ path }) => ({
      contents: `module.exports = process.getBuiltinModule('${path}')`,
    }))
  },
}

const [, , folder] = process.argv
const outdir = resolve(import.meta.dirname, folder ?? join('dist', 'bundle'))

const built = await build({
  absWorkingDir: import.meta.dirname,
  entryPoints: { 'market-agent': 'agent/main.ts', 'platform-stub': 'platform-stub/main.ts' },
  outdir,
  outExtension: { '.js': '.mjs' },
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node26',
  plugins: folder ? [httpWithoutFetch] : [httpWithoutFetch, buildVersion],
  // write-file-atomic makes the names of its temporary files from it.
  define: { __filename: 'import.meta.url' },
  metafile: true,
  banner: {
    // Packages written as CommonJS `require` Node's own modules, which an ES module cannot. The long name leaves `createRequire` free for the bundled code.
    js: [
      "import { createRequire as createRequireForBundle } from 'node:module'",
      'const require = createRequireForBundle(import.meta.url)',
    ].join('\n'),
  },
  logLevel: 'warning',
}).catch(() => {
  // esbuild has already told what is wrong, with file and line; its stack would bury that.
  process.exitCode = 1
})
// What is in each bundle; the list of parts and the licences are made from it.
if (built) writeFileSync(join(outdir, 'contents.json'), JSON.stringify(built.metafile))
