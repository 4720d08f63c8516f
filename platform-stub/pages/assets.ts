import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { getAsset, getAssetKeys, isSea } from 'node:sea'
import { Hono } from 'hono'
import { getMimeType } from 'hono/utils/mime'
import type { StubEnv } from '../http/framework.ts'
import { refuse } from '../marketplace/refusal.ts'
import { lazily } from './lazily.ts'

/** The files of packages that pages need, by the name under which they are served. */
const packaged = {
  'inter.woff2': '@fontsource-variable/inter/files/inter-latin-wght-normal.woff2',
  'jetbrains-mono.woff2': '@fontsource-variable/jetbrains-mono/files/jetbrains-mono-latin-wght-normal.woff2',
  'idiomorph.js': 'idiomorph/dist/idiomorph.esm.js',
}

/**
 * The path of each asset by its name, when the stub runs from its source: those of packages, and every style and browser
 * script of this folder. The build puts them into the executable under the same names.
 */
export function assetFiles(): Readonly<Record<string, string>> {
  const { resolve } = createRequire(import.meta.url)
  const own = ['styles', 'browser'].flatMap((folder) =>
    readdirSync(join(import.meta.dirname, folder))
      .filter((name) => /\.(css|js|svg)$/.test(name))
      .map((name) => [name, join(import.meta.dirname, folder, name)]),
  )
  const foreign = Object.entries(packaged).map(([name, file]) => [name, resolve(file)])
  return Object.fromEntries([...own, ...foreign])
}

/** Read at the first request for a page, because many stubs never show one. */
const assets = lazily(() => {
  const files = isSea() ? {} : assetFiles()
  const names = isSea() ? getAssetKeys() : Object.keys(files)
  const contents = new Map(
    names.map((name) => [name, new Uint8Array(isSea() ? getAsset(name) : readFileSync(files[name] ?? ''))]),
  )
  const digest = createHash('sha256')
  for (const content of contents.values()) digest.update(content)
  // The version changes when any of them changes, so that a browser may keep them for ever.
  return { version: digest.digest('base64url').slice(0, 12), contents }
})

/** The address of an asset on the stub's own origin. */
export function assetUrl(name: string): string {
  return `/assets/${assets().version}/${name}`
}

/** Serves the assets. They contain no data, so everyone may read them. */
export function assetRoutes(): Hono<StubEnv> {
  return new Hono<StubEnv>().get('/:version/:name', (context) => {
    const { version, name } = context.req.param()
    const content = version === assets().version ? assets().contents.get(name) : undefined
    if (!content) throw refuse('ROUTE_UNKNOWN')
    return context.body(content, 200, {
      'Content-Type': getMimeType(name) ?? 'application/octet-stream',
      'Cache-Control': 'public, max-age=31536000, immutable',
      'X-Content-Type-Options': 'nosniff',
    })
  })
}
