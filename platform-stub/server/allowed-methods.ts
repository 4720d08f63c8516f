import type { Hono } from 'hono'
import { TrieRouter } from 'hono/router/trie-router'
import type { StubEnv } from './environment.ts'

/** Tells which methods an app's routes take at a path; none where no route leads. What guards all of them is no route. */
export function allowedMethodsOf(app: Hono<StubEnv>): (path: string) => string[] {
  const router = new TrieRouter<string>()
  const methods = new Set<string>()
  for (const { method, path } of app.routes) {
    if (method === 'ALL') continue
    router.add(method, path, method)
    methods.add(method)
  }
  return (path) => [...methods].filter((method) => router.match(method, path)[0].length > 0)
}
