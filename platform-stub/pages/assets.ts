import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { extname, join } from 'node:path'
import { getAsset, isSea } from 'node:sea'
import { Hono } from 'hono'
import type { StubEnv } from '../developer/control/control-parts.ts'
import { refuse } from '../marketplace/refusal.ts'

/**
 * Every file that a page needs, by the name under which it is served. It is a file of this folder or of a package. The
 * executable contains them under the same names.
 */
const sources = {
  'base.css': './styles/base.css',
  'parts.css': './styles/parts.css',
  'player.css': './styles/player.css',
  'checkout.css': './styles/checkout.css',
  'console.css': './styles/console.css',
  'frame.css': './styles/frame.css',
  'lists.css': './styles/lists.css',
  'machine.css': './styles/machine.css',
  'reference.css': './styles/reference.css',
  'inter.woff2': '@fontsource-variable/inter/files/inter-latin-wght-normal.woff2',
  'jetbrains-mono.woff2': '@fontsource-variable/jetbrains-mono/files/jetbrains-mono-latin-wght-normal.woff2',
  'icon.svg': './styles/icon.svg',
  'player.js': './browser/player.js',
  'console.js': './browser/console.js',
  'acts.js': './browser/acts.js',
  'curl-line.js': './browser/curl-line.js',
  'copying.js': './browser/copying.js',
  'forms.js': './browser/forms.js',
  'live.js': './browser/live.js',
  'panels.js': './browser/panels.js',
  'times.js': './browser/times.js',
  'durations.js': './browser/durations.js',
  'idiomorph.js': 'idiomorph/dist/idiomorph.esm.js',
} as const

/** The name of a file that a page may ask for. */
export type AssetName = keyof typeof sources

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
}

/** The path of each asset when the stub runs from its source. The build puts these files into the executable. */
export function assetFiles(): Readonly<Record<AssetName, string>> {
  const { resolve } = createRequire(import.meta.url)
  const fileOf = (source: string) => (source.startsWith('./') ? join(import.meta.dirname, source) : resolve(source))
  return Object.fromEntries(Object.entries(sources).map(([name, source]) => [name, fileOf(source)])) as Record<
    AssetName,
    string
  >
}

interface Assets {
  /** Changes when any of them changes, so that a browser may keep them for ever. */
  readonly version: string
  readonly contents: ReadonlyMap<string, Uint8Array<ArrayBuffer>>
}

let loaded: Assets | undefined

/** Read at the first request for a page, because many stubs never show one. */
function assets(): Assets {
  loaded ??= load()
  return loaded
}

function load(): Assets {
  const names = Object.keys(sources) as AssetName[]
  const files = isSea() ? undefined : assetFiles()
  const contents = new Map(
    names.map((name) => [name, new Uint8Array(files ? readFileSync(files[name]) : getAsset(name))]),
  )
  const digest = createHash('sha256')
  for (const content of contents.values()) digest.update(content)
  return { version: digest.digest('base64url').slice(0, 12), contents }
}

/** The address of an asset on the stub's own origin. */
export function assetUrl(name: AssetName): string {
  return `/assets/${assets().version}/${name}`
}

/** Serves the assets. They contain no data, so everyone may read them. */
export function assetRoutes(): Hono<StubEnv> {
  return new Hono<StubEnv>().get('/:version/:name', (context) => {
    const { version, name } = context.req.param()
    const content = version === assets().version ? assets().contents.get(name) : undefined
    if (!content) throw refuse('ROUTE_UNKNOWN')
    return context.body(content, 200, {
      'Content-Type': types[extname(name)] ?? 'application/octet-stream',
      'Cache-Control': 'public, max-age=31536000, immutable',
      'X-Content-Type-Options': 'nosniff',
    })
  })
}
